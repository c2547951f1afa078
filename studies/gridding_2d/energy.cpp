#include "studies/gridding_2d/energy.hpp"

#include <fmt/format.h>

#include "studies/gridding_2d/ladders.hpp"
#include "studies/power/meter.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// NVML's counter moves in steps of up to 0.1 s: at both ends less than a tenth of this.
constexpr double seconds_of_step = 2;

/// Adds a row for each step of a trial.
void add_rows(Trial& trial, const JouleCounter& joules, Table& table) {
  const Context& ctx = trial.ctx();
  const auto samples = static_cast<double>(trial.scan().samples.size());
  std::vector<Step> steps = steps_on(ctx);
  steps.push_back(product_step(ctx, trial.scan()));
  steps.back().name += " (the library)";
  for (const Step& step : steps) {
    if (step.points) continue;  // it does not do all of the work
    trial.run(step);
    const Usage usage = use_of(ctx, joules, seconds_of_step, [&] { step.run(ctx, trial.problem(), trial.grid()); });
    constexpr double micro = 1e6;
    constexpr double per_giga = 1e-9;
    const double taken = usage.joules.value_or(0);
    const double of_sample = taken / usage.runs / samples;
    table.rows.push_back({to_string(ctx.device()), step.name, usage.ms(), taken / usage.seconds, micro * of_sample,
                          per_giga * flops_of_sample() / of_sample});
  }
}

}  // namespace

double flops_of_sample() {
  // A value of the window takes a distance (two products, a sum) and an exponential; with it a sample's two numbers are
  // multiplied and added to a point.
  constexpr double of_point = 8;
  return of_point * width * width;
}

std::optional<Table> energy_table(Trial& trial, std::vector<std::string>& notes) {
  Table table{"energy",
              fmt::format("Energy for {} samples, what a device takes when idle included", trial.scan().samples.size()),
              {"device", "step", "ms", "watts", "microjoules per sample", "gigaoperations per joule"},
              {}};
  if (trial.ctx().device().kind == DeviceKind::cuda) {
    if (const JouleCounter joules = joule_counter(trial.ctx(), notes)) add_rows(trial, joules, table);
  }
  const Context host = trial.ctx().host();
  if (const JouleCounter joules = joule_counter(host, notes)) {
    Trial on_host(host, trial.scan());
    add_rows(on_host, joules, table);
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace whorl::studies::gridding_2d
