#include "studies/gridding_2d/ladders.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/energy.hpp"

namespace whorl::studies::gridding_2d {

namespace {

std::string with_extents(const std::string& what, const Extents& grid) {
  return fmt::format("{} {} x {}", what, grid.y, grid.x);
}

}  // namespace

Step product_step(const Context& ctx, const Scan& scan) {
  return library_step(ctx, scan, Window(WindowKind::gaussian, width, 2));
}

namespace {

void add_steps(Trial& trial, const std::vector<Step>& steps, const DeviceLimits& limits, Results& results) {
  const auto samples = static_cast<double>(trial.scan().samples.size());
  const auto points = static_cast<double>(trial.scan().grid.points());
  std::vector<double> own_errors;
  Ladder ladder{.name = "ladder",
                .title = with_extents(fmt::format("Gridding {:.0f} samples to", samples), trial.scan().grid),
                .error = "error",
                .bytes = samples * sizeof(Sample) + points * 2 * sizeof(float),
                .flops = samples * flops_of_sample()};
  for (const Step& step : steps) {
    if (step.prepare) step.prepare(trial.ctx(), trial.problem());
    ladder.steps.push_back({.name = step.name,
                            .run = [&] { step.run(trial.ctx(), trial.problem(), trial.grid()); },
                            .error =
                                [&] {
                                  own_errors.push_back(trial.error(step, step.lookup));
                                  return trial.error(step, Lookup::exact);
                                },
                            .share = static_cast<double>(computed_points(step, trial.problem())) / points,
                            .product = step.product});
  }
  const std::vector<StepTime> times = climb(trial.ctx(), ladder);
  Table table = ladder_table(ladder, times, limits);
  table.columns.insert(table.columns.end() - 1, "error, own window");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].insert(table.rows[i].end() - 1, own_errors[i]);
  }
  results.tables.push_back(std::move(table));
  add_picture(results, [&] { return ladder_picture(trial.ctx().device(), ladder, times); });
}

}  // namespace

void add_gridding_ladder(Trial& trial, const DeviceLimits& limits, Results& results) {
  std::vector<Step> steps = steps_on(trial.ctx());
  steps.push_back(product_step(trial.ctx(), trial.scan()));
  add_steps(trial, steps, limits, results);
}

void add_gridding_step(Trial& trial, const DeviceLimits& limits, const std::string& name, Results& results) {
  std::vector<Step> steps = steps_on(trial.ctx());
  std::erase_if(steps, [&](const Step& step) { return step.name != name; });
  add_steps(trial, steps, limits, results);
}

Table ways_table(Trial& trial) {
  Table table{
      "ways", "Four ways to divide the work, the window from the table", {"way", "ms", "error, own window"}, {}};
  for (const Step& step : ways_on(trial.ctx())) {
    const double ms = trial.time(step);
    table.rows.push_back({step.name, ms, trial.error(step, step.lookup)});
  }
  return table;
}

Table scans_table(const Context& ctx, std::span<const Scan> scans) {
  Table table{"scans", "Milliseconds for other scans", {"step"}, {}};
  ProgressStage progress(ctx, "scans", static_cast<Index>(scans.size()));
  for (const Scan& scan : scans) {
    table.columns.push_back(fmt::format("{}, {} samples", scan.name, scan.samples.size()));
    Trial trial(ctx, scan);
    std::vector<Step> steps = steps_on(ctx);
    steps.push_back(product_step(ctx, scan));
    steps.back().name += " (the library)";
    table.rows.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (table.rows[i].empty()) table.rows[i].emplace_back(steps[i].name);
      table.rows[i].emplace_back(trial.time(steps[i]));
      ctx.check_cancel("gridding_2d");
    }
    progress.advance(1, scan.name);
  }
  return table;
}

Table window_table_of(Trial& trial) {
  Table table{"window",
              "The window's values: what a table and an estimated distance cost, and bring",
              {"window", "ms", "error against the exact window", "error, own window"},
              {}};
  for (const Step& step : lookups_on(trial.ctx())) {
    const double ms = trial.time(step);
    table.rows.push_back({step.name, ms, trial.error(step, Lookup::exact), trial.error(step, step.lookup)});
  }
  return table;
}

namespace {

/// A step with the copies of a program that calls it once: the samples to the device, and the grid back.
Step with_copies(Trial& trial, const Step& step, bool samples_too) {
  Step copying = step;
  const auto here = std::make_shared<const Array<Sample>>(to_host(trial.ctx(), trial.problem().samples.ref()));
  const auto there = std::make_shared<Array<Sample>>(trial.ctx(), here->shape());
  const auto back = std::make_shared<Array<float>>(trial.ctx().host(), trial.grid().shape());
  copying.run = [=](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
    if (samples_too) copy<Sample>(ctx, *here, *there);
    step.run(ctx, problem, grid);
    copy<float>(ctx, grid, *back);
  };
  return copying;
}

struct Fastest {
  Step step;
  double ms = std::numeric_limits<double>::infinity();
};

Fastest fastest_of(Trial& trial, const std::vector<Step>& steps) {
  Fastest best;
  for (const Step& step : steps) {
    const double ms = trial.time(step);
    if (ms < best.ms) best = {step, ms};
  }
  return best;
}

}  // namespace

Table baseline_table(Trial& trial) {
  Table table{
      "one_thread",
      "One thread of the CPU, as the paper's baseline, and the device; the listing's timer runs from the launch "
      "until the grid is back on the host",
      {"what", "ms", "x one thread", "x one thread, fastest", "published"},
      {}};
  const Context one({.threads = 1});
  Trial on_host(one, trial.scan());
  // A single thread with the window from a table; the paper calls its own an optimized library.
  const Step simple{.name = "real and imaginary parts apart", .lookup = Lookup::distance, .run = split_on_host};
  const double simple_ms = on_host.time(simple);
  std::vector<Step> by_one = cpu_steps();
  by_one.pop_back();  // the step of all threads
  const Fastest loops = fastest_of(on_host, by_one);
  const double library_ms = on_host.time(product_step(one, trial.scan()));
  const double fastest_ms = std::min(loops.ms, library_ms);
  const Fastest kernel = fastest_of(trial, steps_on(trial.ctx()));
  const Step product = product_step(trial.ctx(), trial.scan());
  const std::string device = to_string(trial.ctx().device());
  const auto add = [&](const std::string& what, double ms, const Cell& published = {}) {
    table.rows.push_back({what, ms, simple_ms / ms, fastest_ms / ms, published});
  };
  add("one thread, " + simple.name, simple_ms);
  add("one thread, " + loops.step.name + " (the fastest loop)", loops.ms);
  add("one thread, gridding (the library)", library_ms);
  add(device + ", " + kernel.step.name, kernel.ms);
  if (trial.ctx().device().kind == DeviceKind::cuda) {
    add("the same, and the grid back (the listing's timer)", trial.time(with_copies(trial, kernel.step, false)),
        fmt::format("{} (GeForce 8800 GTX), {} (GeForce 8400M GS)", Cited("gridding_2d", "114 x").text(),
                    Cited("gridding_2d", "17.5 x").text()));
    add("samples there, the same, and the grid back", trial.time(with_copies(trial, kernel.step, true)));
  }
  add(device + ", gridding (the library)", trial.time(product));
  if (trial.ctx().device().kind == DeviceKind::cuda) {
    add("samples there, the library, and the grid back", trial.time(with_copies(trial, product, true)));
  }
  return table;
}

}  // namespace whorl::studies::gridding_2d
