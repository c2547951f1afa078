#include "studies/sha1_search/prediction.hpp"

#include "studies/amdahl.hpp"

namespace whorl::studies::sha1_search {

namespace {

// Shares of the profile. Each of these functions is called once a string, some once a letter.
constexpr double process_block = 0.8338;
constexpr double pad_message = 0.0877;
constexpr double input = 0.0401;
constexpr double stream_in = 0.0148;
constexpr double result = 0.0119;
constexpr double reset = 0.0073;
constexpr double make_strings = 0.0036;

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
  std::vector<Cell>& published = add("all but the hash's inner function", process_block);
  published[5] = 5.9393;
  published[6] = published_limit;
  add("nothing that is done once a string or a letter",
      process_block + pad_message + input + stream_in + result + reset + make_strings);
  add("here: what a search takes without strings", 1 - measured.fixed / measured.one_thread);
  return table;
}

}  // namespace whorl::studies::sha1_search
