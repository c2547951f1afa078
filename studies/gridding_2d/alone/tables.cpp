// The tables of single optimizations, of other sizes, and of a GPU's memories.
#include <fmt/format.h>

#include <numeric>

#include "studies/gridding_2d/alone/reads.hpp"
#include "studies/gridding_2d/alone/steps.hpp"
#include "whorl/core/random.hpp"

namespace whorl::studies::gridding_2d {

namespace {

bool has_gpu(const Context& ctx) { return ctx.device().kind == DeviceKind::cuda; }

}  // namespace

Table alone_table(Trial& trial) {
  const Sizes& sizes = trial.problem().sizes;
  Table table{"alone",
              fmt::format("Each optimization alone on the first kernel; window of {0} x {0} cells, sectors of {1} x "
                          "{1}, {2} entries of the table per cell",
                          sizes.window, sizes.side, sizes.entries),
              {"step", "ms", "x first", "error", "error, own window", "published"},
              {}};
  double first = 0;
  for (const Step& step : has_gpu(trial.ctx()) ? gpu_alone_steps() : cpu_alone_steps()) {
    const double ms = trial.time(step);
    std::vector<Cell> row{step.name, ms, {}, trial.error(step, Lookup::exact), trial.error(step, step.lookup), {}};
    if (first == 0) first = ms;
    if (!table.rows.empty()) row[2] = first / ms;
    if (!step.published.empty()) row[5] = step.published.text();
    table.rows.push_back(std::move(row));
    trial.ctx().check_cancel("gridding_2d");
  }
  return table;
}

Table sizes_table(const Context& ctx, std::span<const Scan> scans, std::span<const SizeChoice> choices) {
  const bool gpu = has_gpu(ctx);
  Table table{"sizes",
              "Sector-driven with a table of distances: sizes of sector, window and table",
              {"sector", "window", "entries per cell"},
              {}};
  if (gpu) table.columns.emplace_back("blocks a multiprocessor");
  for (const Scan& scan : scans) table.columns.push_back(fmt::format("ms, {} samples", scan.samples.size()));
  table.columns.insert(table.columns.end(), {"error", "error, own window"});
  for (const SizeChoice& choice : choices) {
    const Sizes& sizes = choice.sizes;
    if (gpu && !fits_gpu(ctx, sizes)) continue;
    const Step step = gpu ? gpu_sector_step(choice.resident) : cpu_sector_step();
    std::vector<Cell> row{static_cast<double>(sizes.side), static_cast<double>(sizes.window),
                          static_cast<double>(sizes.entries)};
    if (gpu) row.push_back(choice.resident == 0 ? Cell("as many as fit") : Cell(static_cast<double>(choice.resident)));
    std::vector<Cell> errors;
    for (const Scan& scan : scans) {
      Trial trial(ctx, scan, best_b_of(sizes.window), sizes);
      row.emplace_back(trial.time(step));
      if (errors.empty()) errors = {trial.error(step, Lookup::exact), trial.error(step, step.lookup)};
      ctx.check_cancel("gridding_2d");
    }
    row.insert(row.end(), errors.begin(), errors.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table banks_table(const Context& ctx, std::span<const Scan> scans) {
  Table table{"banks", "Sums of a sector in shared memory: complex numbers, or two arrays", {"tile"}, {}};
  const std::vector<Step> steps = gpu_bank_steps();
  for (const Scan& scan : scans) table.columns.push_back(fmt::format("ms, {} samples", scan.samples.size()));
  table.columns.emplace_back("error");
  if (!has_gpu(ctx)) return table;
  for (const Step& step : steps) {
    std::vector<Cell> row{step.name};
    Cell error;
    for (const Scan& scan : scans) {
      Trial trial(ctx, scan);
      row.emplace_back(trial.time(step));
      if (std::holds_alternative<std::monostate>(error)) error = trial.error(step, Lookup::exact);
    }
    row.push_back(error);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<int> random_cycle() {
  // An order of all numbers, each of which leads to the next one in it.
  constexpr std::uint64_t seed = 5;
  std::vector<int> order(chain_length);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    const double place = random_uniform(seed, i) * static_cast<double>(i + 1);
    std::swap(order[i], order[std::min(i, static_cast<std::size_t>(place))]);
  }
  std::vector<int> chain(chain_length);
  for (std::size_t i = 0; i < order.size(); ++i) {
    chain[static_cast<std::size_t>(order[i])] = order[(i + 1) % order.size()];
  }
  return chain;
}

Table reads_table(const Context& ctx) {
  Table table{"reads",
              "Clock cycles of a read that waits for the one before, by one warp",
              {"memory", "one address", "random addresses", "random / one", "random / shared, random", "wrong threads",
               "published"},
              {}};
  if (!has_gpu(ctx)) return table;
  const std::vector<ReadTimes> all = read_times_on_gpu(ctx);
  for (const ReadTimes& times : all) {
    std::vector<Cell> row{times.memory,
                          times.one_address,
                          times.random_addresses,
                          times.random_addresses / times.one_address,
                          times.random_addresses / all[1].random_addresses,
                          static_cast<double>(times.wrong),
                          {}};
    if (&times == &all.front()) {
      row.back() = Cited("gridding_2d", "3 x shared memory at random addresses, as fast at one").text();
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace whorl::studies::gridding_2d
