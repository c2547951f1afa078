#include "studies/heat/claim.hpp"

#include "studies/amdahl.hpp"
#include "studies/cited.hpp"

namespace whorl::studies::heat {

namespace {

constexpr double cores = cited_number("heat", "1920");
// Shares of the profile in percent, without the profiler's own two functions.
constexpr auto profile = cited_numbers<3>("heat", "8.70 4.35 26.09");
constexpr double reads_of_vectors = percents * profile[0];
constexpr double solving = percents * profile[1];
constexpr double plotting = percents * profile[2];
// Published as 1/(1 - 0.087 + 0.087/1920); it is the sum under the bar.
constexpr double published = cited_number("heat", "0.913");

}  // namespace

Table claim_table(double measured_gain) {
  constexpr double percent = 100;
  Table table{
      "claim", "What a GPU of 1920 cores was expected to gain", {"parallel", "% of the time", "gain", "published"}, {}};
  const auto add = [&](const char* what, double part, Cell given) {
    table.rows.push_back({what, percent * part, amdahl(part, cores), std::move(given)});
  };
  add("reads of std::vector alone, as published", reads_of_vectors, published);
  const double steps = reads_of_vectors + solving;
  add("the steps, beside the plot, without the profiler", steps / (steps + plotting), {});
  add("the steps alone", 1, {});
  table.rows.push_back({"the steps, measured here: fastest against first", {}, measured_gain, {}});
  return table;
}

}  // namespace whorl::studies::heat
