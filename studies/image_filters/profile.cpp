#include "studies/image_filters/profile.hpp"

#include <algorithm>
#include <array>

#include "studies/cited.hpp"

namespace whorl::studies::image_filters {

namespace {

using Shares = std::array<double, 3>;  // two functions of the profiler, the filter's

constexpr Shares gaussian = cited_numbers<3>("image_filters", "44.81 31.92 4.85");
constexpr Shares unsharp = cited_numbers<3>("image_filters", "44.44 27.31 7.41");
constexpr Shares identity = cited_numbers<3>("image_filters", "53.61 28.21 4.39");

}  // namespace

Table profile_table(const Table& summary) {
  Table table{
      "profile",
      "The report's profile: shares of the time, and gains",
      {"filter", "profiler %", "function itself %", "gain if nothing else were parallel", "library x first here"},
      {}};
  const auto add = [&](const char* name, const Shares& shares) {
    constexpr std::size_t gain = 5;
    const auto row = std::find_if(summary.rows.begin(), summary.rows.end(),
                                  [&](const auto& cells) { return std::get<std::string>(cells[0]) == name; });
    table.rows.push_back({name, shares[0] + shares[1], shares[2], 1 / (1 - percents * shares[2]),
                          row == summary.rows.end() ? Cell() : (*row)[gain]});
  };
  add("gaussian", gaussian);
  add("unsharp", unsharp);
  add("identity", identity);
  return table;
}

}  // namespace whorl::studies::image_filters
