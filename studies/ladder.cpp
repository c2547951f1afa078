#include "studies/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/timing.hpp"
#include "whorl/plot/bar_chart.hpp"

namespace whorl::studies {

std::vector<StepTime> climb(const Context& ctx, const Ladder& ladder) {
  std::vector<StepTime> times;
  ProgressStage progress(ctx, ladder.name, static_cast<Index>(ladder.steps.size()));
  for (const LadderStep& step : ladder.steps) {
    const double ms = bench::time_work(ctx, bench::Effort::brief, step.run).median_ms;
    times.push_back({ms / step.share, step.error(), step.measures ? step.measures() : std::vector<Cell>{}});
    progress.advance(1, step.name);
  }
  return times;
}

Table ladder_table(const Ladder& ladder, const std::vector<StepTime>& times, const DeviceLimits& limits) {
  constexpr double per_giga = 1e-9;
  constexpr double percent = 100;
  constexpr int first_measure = 9;
  Table table{
      ladder.name,
      ladder.title,
      {"step", "ms", "x step before", "x first", "GB/s", "% of memory", "Gflop/s", "% of arithmetic", ladder.error},
      {}};
  table.columns.insert(table.columns.end(), ladder.measures.begin(), ladder.measures.end());
  table.columns.emplace_back("published");
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    const double seconds = 1e-3 * times[i].ms;
    std::vector<Cell> row(table.columns.size());
    row[0] = step.product ? step.name + " (the library)" : step.name;
    row[1] = times[i].ms;
    if (i > 0) row[2] = times[i - 1].ms / times[i].ms;
    if (i > 0) row[3] = times[0].ms / times[i].ms;
    row[4] = ladder.bytes / seconds * per_giga;
    row[5] = percent * ladder.bytes / seconds / limits.bytes_per_s;
    row[6] = ladder.flops / seconds * per_giga;
    row[7] = percent * ladder.flops / seconds / limits.flops;
    row[8] = times[i].error;
    std::copy(times[i].measures.begin(), times[i].measures.end(), row.begin() + first_measure);
    if (!step.published.empty()) row.back() = step.published;
    table.rows.push_back(std::move(row));
  }
  return table;
}

NamedPicture ladder_picture(const Ladder& ladder, const std::vector<StepTime>& times) {
  BarChart chart{.title = ladder.title, .value_label = "milliseconds", .scale = AxisScale::logarithmic};
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    constexpr double whole = 1000;  // from here on "{:.3g}" has a power of ten
    std::string words = fmt::format(fmt::runtime(times[i].ms < whole ? "{:.3g} ms" : "{:.0f} ms"), times[i].ms);
    if (i > 0) words += fmt::format(", {:.3g} x the first", times[0].ms / times[i].ms);
    chart.bars.push_back({step.name, times[i].ms, words, step.product ? PlotColor::vermillion : PlotColor::blue});
  }
  return {ladder.name, draw_bar_chart(chart)};
}

void add_ladder(const Context& ctx, const Ladder& ladder, const DeviceLimits& limits, Results& results) {
  const std::vector<StepTime> times = climb(ctx, ladder);
  results.tables.push_back(ladder_table(ladder, times, limits));
  results.pictures.push_back(ladder_picture(ladder, times));
}

}  // namespace whorl::studies
