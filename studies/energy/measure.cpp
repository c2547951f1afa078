#include "studies/energy/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "studies/cited.hpp"
#include "studies/energy/part.hpp"

namespace whorl::studies::energy {

namespace {

// Multiprocessors of the paper's GeForce 8400M GS and 8800 GTX.
constexpr int small_gpu = 2;
constexpr int large_gpu = 16;

const Row* row_of(const Measured& measured, std::size_t job, int units) {
  const auto found = std::find_if(measured.rows.begin(), measured.rows.end(),
                                  [&](const Row& row) { return row.job == job && row.units == units; });
  return found == measured.rows.end() ? nullptr : &*found;
}

}  // namespace

Measured measure(const Context& ctx, const std::vector<Job>& jobs, const JouleCounter& joules, double seconds) {
  const bool gpu = ctx.device().kind == DeviceKind::cuda;
  Measured measured;
  measured.parts = {"parts", "Parts of the device", {unit_name(ctx) + " asked for", "given"}, {}};
  if (gpu) measured.parts.columns.insert(measured.parts.columns.end(), {"seen in a stream", "seen in a graph"});
  const std::vector<int> sizes = part_sizes(ctx);
  ProgressStage progress(ctx, "parts", static_cast<Index>(sizes.size() * jobs.size()));
  for (const int size : sizes) {
    const Part part = part_of(ctx, size);
    std::vector<Cell> row{static_cast<double>(size), static_cast<double>(part.units)};
    if (gpu) {
      const SeenMultiprocessors seen = multiprocessors_seen(part.ctx);
      row.insert(row.end(), {static_cast<double>(seen.in_stream), static_cast<double>(seen.in_graph)});
    }
    measured.parts.rows.push_back(std::move(row));
    // A device that has no part so small gives the next larger one again.
    const bool again = std::find(measured.units.begin(), measured.units.end(), part.units) != measured.units.end();
    if (!again) measured.units.push_back(part.units);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!again) {
        const Prepared prepared = jobs[i].prepare(part.ctx);
        const Usage usage = use_of(part.ctx, joules, seconds, prepared.run);
        measured.rows.push_back({i, part.units, prepared.error(), usage});
      }
      progress.advance(1, fmt::format("{} {}: {}", part.units, unit_name(ctx), jobs[i].name));
    }
  }
  std::stable_sort(measured.rows.begin(), measured.rows.end(),
                   [](const Row& a, const Row& b) { return a.job < b.job; });
  return measured;
}

Table usage_table(const Context& ctx, const std::vector<Job>& jobs, const Measured& measured, double idle) {
  Table table{"energy",
              "Time and energy on parts of the device: microjoules for each sample of gridding, joules for each image",
              {"work", unit_name(ctx), "ms", "x whole device", "watts", "energy", "energy above idle", "error", "runs"},
              {}};
  constexpr double micro = 1e6;
  for (const Row& row : measured.rows) {
    const Job& job = jobs[row.job];
    const Row* const whole = row_of(measured, row.job, measured.units.front());
    std::vector<Cell> cells{job.name, static_cast<double>(row.units), row.usage.ms(),
                            row.usage.ms() / (whole != nullptr ? whole->usage.ms() : row.usage.ms())};
    const double unit = (job.samples > 1 ? micro : 1) / (row.usage.runs * job.samples);
    if (row.usage.joules) {
      const double joules = *row.usage.joules;
      cells.insert(cells.end(),
                   {joules / row.usage.seconds, unit * joules, unit * (joules - idle * row.usage.seconds)});
    } else {
      cells.resize(cells.size() + 3);
    }
    cells.insert(cells.end(), {row.error, row.usage.runs});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table scaling_table(const Context& ctx, const std::vector<Job>& jobs, const Measured& measured) {
  const bool gpu = ctx.device().kind == DeviceKind::cuda;
  Table table{"scaling", "Times relative to the whole device", {"work", "ms on all"}, {}};
  for (std::size_t p = 1; p < measured.units.size(); ++p) {
    table.columns.push_back(fmt::format("x on {}", measured.units[p]));
  }
  if (gpu) table.columns.insert(table.columns.end(), {"gain from 2 to 16", "published"});
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const Row* const whole = row_of(measured, job, measured.units.front());
    if (whole == nullptr) continue;
    std::vector<Cell> cells{jobs[job].name, whole->usage.ms()};
    for (std::size_t p = 1; p < measured.units.size(); ++p) {
      const Row* const row = row_of(measured, job, measured.units[p]);
      cells.push_back(row != nullptr ? Cell(row->usage.ms() / whole->usage.ms()) : Cell());
    }
    if (gpu) {
      const Row* const small = row_of(measured, job, small_gpu);
      const Row* const large = row_of(measured, job, large_gpu);
      cells.push_back(small != nullptr && large != nullptr ? Cell(small->usage.ms() / large->usage.ms()) : Cell());
      constexpr double published = cited_number("energy", "6.5");
      cells.push_back(job == 0 ? Cell(published) : Cell());
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace whorl::studies::energy
