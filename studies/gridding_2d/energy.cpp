#include "studies/gridding_2d/energy.hpp"

#include <fmt/format.h>

#include <chrono>

#include "studies/gridding_2d/ladders.hpp"
#include "studies/gridding_2d/nvml.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// The counter's steps of up to 0.1 s at both ends are less than a tenth of this.
constexpr double seconds_of_step = 2;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

std::optional<Table> energy_table(Trial& trial) {
  const auto meter = EnergyMeter::open(pci_bus_id(trial.ctx()));
  if (!meter) return std::nullopt;
  const Context& ctx = trial.ctx();
  Table table{"energy",
              fmt::format("Energy of the GPU for {} samples, what it takes when idle included, the host's not",
                          trial.scan().samples.size()),
              {"step", "ms", "watts", "microjoules per sample"},
              {}};
  std::vector<Step> steps = steps_on(ctx);
  steps.push_back(product_step(ctx, trial.scan()));
  steps.back().name += " (the library)";
  for (const Step& step : steps) {
    trial.run(step);
    ctx.synchronize();
    // The host may ask for hundredths of a second of work at a time without a pause of the device.
    const double start = now();
    const double joules = meter->joules();
    double runs = 0;
    double seconds = 0;
    do {
      constexpr int at_a_time = 20;
      for (int i = 0; i < at_a_time; ++i) step.run(ctx, trial.problem(), trial.grid());
      runs += at_a_time;
      ctx.synchronize();
      ctx.check_cancel("gridding_2d");
      seconds = now() - start;
    } while (seconds < seconds_of_step);
    constexpr double milli = 1e3;
    constexpr double micro = 1e6;
    const double taken = meter->joules() - joules;
    table.rows.push_back({step.name, milli * seconds / runs, taken / seconds,
                          micro * taken / runs / static_cast<double>(trial.scan().samples.size())});
  }
  return table;
}

}  // namespace whorl::studies::gridding_2d
