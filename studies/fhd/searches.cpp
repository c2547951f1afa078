#include "studies/fhd/searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "studies/cited.hpp"
#include "whorl/core/error.hpp"
#include "whorl/plot/figure.hpp"

namespace whorl::studies::fhd {

namespace {

using Size = int Tuning::*;
constexpr std::array<Size, 3> order{&Tuning::threads, &Tuning::chunk, &Tuning::unroll};

// A chunk above it is all of a scan.
constexpr int most_shown_chunk = 1 << 20;

bool differ_only_in(const Tuning& a, Tuning b, Size size) {
  b.*size = a.*size;
  return a == b;
}

const TriedTuning& fastest(std::span<const TriedTuning> trials) {
  return *std::min_element(trials.begin(), trials.end(),
                           [](const TriedTuning& a, const TriedTuning& b) { return a.ms < b.ms; });
}

std::set<int> values_of(std::span<const TriedTuning> trials, Size size) {
  std::set<int> values;
  for (const TriedTuning& trial : trials) values.insert(trial.tuning.*size);
  return values;
}

// Trials that the second search makes, each once.
std::size_t tries_one_by_one(std::span<const TriedTuning> trials) {
  std::size_t count = 1;
  for (const Size size : order) count += values_of(trials, size).size() - 1;
  return count;
}

constexpr std::array colors{PlotColor::blue,   PlotColor::vermillion, PlotColor::green,
                            PlotColor::orange, PlotColor::purple,     PlotColor::sky};

// A line for each number of threads, each point with the best of the third size.
Panel panel_of(std::span<const TriedTuning> trials, std::span<const TriedTuning> way) {
  Panel panel{.title = "F^H d of a part of the scan: all sizes searched together, and one after the other",
              .x_label = "samples of a chunk",
              .y_label = "milliseconds; lines: with the best unrolling",
              .x_scale = AxisScale::logarithmic,
              .y_scale = AxisScale::logarithmic};
  // A chunk that is all of a scan stands at the right end.
  int largest = 1;
  for (const int chunk : values_of(trials, &Tuning::chunk)) {
    if (chunk < most_shown_chunk) largest = std::max(largest, chunk);
  }
  const auto place = [&](int chunk) { return static_cast<double>(chunk < most_shown_chunk ? chunk : 2 * largest); };
  for (const int threads : values_of(trials, &Tuning::threads)) {
    Series line{.color = colors[panel.series.size() % colors.size()],
                .label = fmt::format("together: {} thread{}", threads, threads == 1 ? "" : "s")};
    for (const int chunk : values_of(trials, &Tuning::chunk)) {
      double least = std::numeric_limits<double>::infinity();
      for (const TriedTuning& trial : trials) {
        if (trial.tuning.threads == threads && trial.tuning.chunk == chunk) least = std::min(least, trial.ms);
      }
      if (!std::isfinite(least)) continue;
      line.x.push_back(place(chunk));
      line.y.push_back(least);
    }
    panel.series.push_back(std::move(line));
  }
  Series path{.color = PlotColor::black};
  for (const TriedTuning& step : way) {
    path.x.push_back(place(step.tuning.chunk));
    path.y.push_back(step.ms);
  }
  Series dots = path;
  dots.style = SeriesStyle::dots;
  dots.size = 8;
  dots.label = "one after the other: threads, chunk, unrolling";
  Series start{{path.x.front()}, {path.y.front()}, SeriesStyle::dots, PlotColor::gray, 11, "where that starts"};
  for (Series* const series : {&path, &dots, &start}) panel.series.push_back(std::move(*series));
  // Room for the legend above the slowest.
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Series& series : panel.series) {
    if (series.y.empty()) continue;
    least = std::min(least, *std::min_element(series.y.begin(), series.y.end()));
    most = std::max(most, *std::max_element(series.y.begin(), series.y.end()));
  }
  constexpr double room = 0.4;
  constexpr double margin = 1.05;
  panel.y_range = {{least / margin, margin * most * std::pow(most / least, room)}};
  return panel;
}

std::vector<Cell> cells_of(const Tuning& sizes) {
  const auto number = [](int size) { return size > 0 ? Cell(static_cast<double>(size)) : Cell(); };
  return {number(sizes.threads), sizes.chunk < most_shown_chunk ? number(sizes.chunk) : Cell("all samples"),
          number(sizes.unroll)};
}

template <class... More>
std::vector<Cell> row_of(const std::string& name, const Tuning& sizes, const More&... more) {
  std::vector<Cell> row = cells_of(sizes);
  row.insert(row.begin(), name);
  (row.emplace_back(more), ...);
  return row;
}

constexpr double percent = 100;

Table kernels_table(std::span<const Search> searches) {
  Table table{"kernels",
              "The sizes of each kernel: the best of all combinations, on a part of the scan",
              {"kernel", "threads", "chunk", "unroll", "tried", "spread %", "x slowest"},
              {}};
  for (const Search& search : searches) {
    std::vector<Cell> row = row_of(search.kernel, search.best);
    row.resize(table.columns.size());
    if (!search.trials.empty()) {
      const TriedTuning& best = fastest(search.trials);
      double most = 0;
      for (const TriedTuning& trial : search.trials) most = std::max(most, trial.ms);
      row[4] = static_cast<double>(search.trials.size());
      row[5] = percent * best.spread;
      row[6] = most / best.ms;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table sizes_table(std::span<const Search> searches) {
  Table table{"sizes",
              "Times by threads and chunk, with the best unrolling, on a part of the scan",
              {"kernel", "threads", "chunk", "unroll", "ms", "spread %"},
              {}};
  for (const Search& search : searches) {
    for (const int threads : values_of(search.trials, &Tuning::threads)) {
      for (const int chunk : values_of(search.trials, &Tuning::chunk)) {
        std::vector<TriedTuning> same;
        for (const TriedTuning& trial : search.trials) {
          if (trial.tuning.threads == threads && trial.tuning.chunk == chunk) same.push_back(trial);
        }
        if (same.empty()) continue;
        const TriedTuning& best = fastest(same);
        table.rows.push_back(row_of(search.kernel, best.tuning, best.ms, percent * best.spread));
      }
    }
  }
  return table;
}

}  // namespace

std::vector<TriedTuning> search_one_by_one(std::span<const TriedTuning> trials, const Tuning& start) {
  const auto found =
      std::find_if(trials.begin(), trials.end(), [&](const TriedTuning& trial) { return trial.tuning == start; });
  if (found == trials.end()) throw ValueError("fhd: a search of sizes starts at one that was not tried");
  std::vector<TriedTuning> way{*found};
  for (const Size size : order) {
    TriedTuning best = way.back();
    for (const TriedTuning& trial : trials) {
      if (differ_only_in(trial.tuning, best.tuning, size) && trial.ms < best.ms) best = trial;
    }
    way.push_back(best);
  }
  return way;
}

void add_searches(const Context& ctx, std::span<const Search> searches, const std::string& kernel, Results& results) {
  results.tables.push_back(kernels_table(searches));
  const auto found =
      std::find_if(searches.begin(), searches.end(), [&](const Search& search) { return search.kernel == kernel; });
  if (found == searches.end() || found->trials.empty()) return;
  results.tables.push_back(sizes_table(searches));
  const std::span<const TriedTuning> trials = found->trials;
  const TriedTuning& best = fastest(trials);
  // A programmer begins with the largest numbers of threads and chunks, and without unrolling.
  const Tuning start{*values_of(trials, &Tuning::threads).rbegin(), *values_of(trials, &Tuning::chunk).rbegin(),
                     *values_of(trials, &Tuning::unroll).begin()};
  const std::vector<TriedTuning> way = search_one_by_one(trials, start);
  Table table{"searches",
              "All sizes searched together, and one after the other: " + kernel,
              {"search", "threads", "chunk", "unroll", "ms", "tried", "slower than the best %", "published"},
              {}};
  const auto add = [&](const std::string& name, const TriedTuning& choice, std::size_t tried, const Cell& published) {
    table.rows.push_back(row_of(name, choice.tuning, choice.ms, static_cast<double>(tried),
                                percent * (choice.ms / best.ms - 1), published));
  };
  add("the start", way.front(), 1, {});
  add("threads, then chunk, then unrolling", way.back(), tries_one_by_one(trials), Cited("fhd", "about 20 %").text());
  add("together", best, trials.size(), {});
  results.tables.push_back(std::move(table));
  add_picture(results, [&] {
    return NamedPicture{"tuning",
                        draw_figure(ctx.host(), {.panels = {panel_of(trials, way)}, .columns = 1, .panel_width = 900})};
  });
}

}  // namespace whorl::studies::fhd
