#include "studies/sha1_search/prediction.hpp"

#include <numeric>

#include "studies/amdahl.hpp"

namespace whorl::studies::sha1_search {

namespace {

// Shares of the profile in percent. Each of these functions is called once a string, some once a letter; the first is
// the hash's inner function.
constexpr auto profile = cited_numbers<7>("sha1_search", "83.38 8.77 4.01 1.48 1.19 0.73 0.36");

}  // namespace

Table prediction_table(const Measured& measured) {
  Table table{"prediction",
              "Amdahl's law: what is taken for serial, and the largest gain",
              {"serial", "% of the time", "384 cores", "2304 cores", "any number", "published 384", "published 2304"},
              {}};
  const auto add = [&](const char* what, double parallel_part) -> std::vector<Cell>& {
    constexpr double laptop = 384;
    constexpr double desktop = 2304;
    constexpr double percent = 100;
    table.rows.push_back({what,
                          percent * (1 - parallel_part),
                          amdahl(parallel_part, laptop),
                          amdahl(parallel_part, desktop),
                          1 / (1 - parallel_part),
                          {},
                          {}});
    return table.rows.back();
  };
  std::vector<Cell>& published = add("all but the hash's inner function", percents * profile[0]);
  published[5] = cited_number("sha1_search", "5.9393");
  published[6] = published_limit;
  add("nothing that is done once a string or a letter",
      percents * std::accumulate(profile.begin(), profile.end(), 0.0));
  add("here: what a search takes without strings", 1 - measured.fixed / measured.one_thread);
  return table;
}

}  // namespace whorl::studies::sha1_search
