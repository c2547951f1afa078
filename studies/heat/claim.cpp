#include "studies/heat/claim.hpp"

#include "studies/amdahl.hpp"

namespace whorl::studies::heat {

namespace {

constexpr double cores = 1920;
// Shares of the profile, without the profiler's own two functions.
constexpr double reads_of_vectors = 0.0870;
constexpr double solving = 0.0435;
constexpr double plotting = 0.2609;
// Published as 1/(1 - 0.087 + 0.087/1920); it is the sum under the bar.
constexpr double published = 0.913;

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
