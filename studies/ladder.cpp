#include "studies/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/timing.hpp"
#include "whorl/core/error.hpp"
#include "whorl/plot/bar_chart.hpp"

namespace whorl::studies {

namespace {

std::string shown_name(const LadderStep& step) { return step.product ? step.name + " (the library)" : step.name; }

// Three digits, without a power of ten for numbers from 1000 on.
std::string three_digits(double value) {
  constexpr double whole = 1000;
  return fmt::format(fmt::runtime(value < whole ? "{:.3g}" : "{:.0f}"), value);
}

}  // namespace

Ladder one_step(Ladder ladder, const std::string& step) {
  std::erase_if(ladder.steps, [&](const LadderStep& other) { return other.name != step; });
  if (ladder.steps.empty()) throw ValueError(fmt::format("the ladder {} has no step '{}'", ladder.name, step));
  return ladder;
}

std::vector<StepTime> climb(const Context& ctx, const Ladder& ladder) {
  std::vector<StepTime> times;
  ProgressStage progress(ctx, ladder.name, static_cast<Index>(ladder.steps.size()));
  for (const LadderStep& step : ladder.steps) {
    const bench::Timing timing = bench::time_work(ctx, bench::Effort::brief, step.run);
    times.push_back({timing.median_ms / step.share, step.error(), step.measures ? step.measures() : std::vector<Cell>{},
                     timing.repetitions, timing.spread});
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
  table.columns.insert(table.columns.end(), {"runs", "spread %", "published"});
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    const double seconds = 1e-3 * times[i].ms;
    std::vector<Cell> row(table.columns.size());
    row[0] = shown_name(step);
    row[1] = times[i].ms;
    if (i > 0) row[2] = times[i - 1].ms / times[i].ms;
    if (i > 0) row[3] = times[0].ms / times[i].ms;
    row[4] = ladder.bytes / seconds * per_giga;
    row[5] = percent * ladder.bytes / seconds / limits.bytes_per_s;
    row[6] = ladder.flops / seconds * per_giga;
    row[7] = percent * ladder.flops / seconds / limits.flops;
    row[8] = times[i].error;
    std::copy(times[i].measures.begin(), times[i].measures.end(), row.begin() + first_measure);
    const std::size_t runs = row.size() - 3;
    row[runs] = static_cast<double>(times[i].runs);
    if (times[i].runs > 1) row[runs + 1] = percent * times[i].spread;
    if (!step.published.empty()) row.back() = step.published.text();
    table.rows.push_back(std::move(row));
  }
  return table;
}

NamedPicture ladder_picture(Device device, const Ladder& ladder, const std::vector<StepTime>& times) {
  BarChart chart{.title = ladder.title + (device.kind == DeviceKind::cuda ? ", on a GPU" : ", on a CPU"),
                 .value_label = "milliseconds, on a logarithmic axis",
                 .scale = AxisScale::logarithmic};
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    std::string words = three_digits(times[i].ms) + " ms";
    if (i > 0) words += fmt::format(", {} x the first", three_digits(times[0].ms / times[i].ms));
    chart.bars.push_back(
        {shown_name(step), times[i].ms, words, step.product ? PlotColor::vermillion : PlotColor::blue});
  }
  return {ladder.name, draw_bar_chart(chart)};
}

void add_ladder(const Context& ctx, const Ladder& ladder, const DeviceLimits& limits, Results& results) {
  const std::vector<StepTime> times = climb(ctx, ladder);
  results.tables.push_back(ladder_table(ladder, times, limits));
  add_picture(results, [&] { return ladder_picture(ctx.device(), ladder, times); });
}

}  // namespace whorl::studies
