#include "studies/gridding_2d/energy.hpp"

#include <fmt/format.h>

#include <chrono>

#include "studies/gridding_2d/ladders.hpp"
#include "studies/gridding_2d/nvml.hpp"
#include "studies/gridding_2d/rapl.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// NVML's counter moves in steps of up to 0.1 s: at both ends less than a tenth of this.
constexpr double seconds_of_step = 2;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Adds a row for each step of a trial; `joules` counts.
void add_rows(Trial& trial, const std::function<double()>& joules, Table& table) {
  const Context& ctx = trial.ctx();
  const auto samples = static_cast<double>(trial.scan().samples.size());
  std::vector<Step> steps = steps_on(ctx);
  steps.push_back(product_step(ctx, trial.scan()));
  steps.back().name += " (the library)";
  for (const Step& step : steps) {
    if (step.points) continue;  // it does not do all of the work
    trial.run(step);
    ctx.synchronize();
    // The host may ask for hundredths of a second of work at a time without a pause of the device.
    const double start = now();
    const double before = joules();
    double runs = 0;
    double seconds = 0;
    do {
      const int at_a_time = ctx.device().kind == DeviceKind::cuda ? 20 : 1;
      for (int i = 0; i < at_a_time; ++i) step.run(ctx, trial.problem(), trial.grid());
      runs += at_a_time;
      ctx.synchronize();
      ctx.check_cancel("gridding_2d");
      seconds = now() - start;
    } while (seconds < seconds_of_step);
    constexpr double milli = 1e3;
    constexpr double micro = 1e6;
    constexpr double per_giga = 1e-9;
    const double taken = joules() - before;
    const double of_sample = taken / runs / samples;
    table.rows.push_back({to_string(ctx.device()), step.name, milli * seconds / runs, taken / seconds,
                          micro * of_sample, per_giga * flops_of_sample() / of_sample});
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
    if (const auto meter = EnergyMeter::open(pci_bus_id(trial.ctx()))) {
      add_rows(
          trial, [&] { return meter->joules(); }, table);
    } else {
      notes.emplace_back("Energy of the GPU: not measured; it takes a driver that has NVML");
    }
  }
  if (const auto meter = RaplMeter::open()) {
    const Context host = trial.ctx().host();
    Trial on_host(host, trial.scan());
    add_rows(
        on_host, [&] { return meter->joules(); }, table);
  } else {
    notes.emplace_back(
        "Energy of the CPU: not measured; no readable RAPL counter in /sys/class/powercap (root may read them, virtual "
        "machines have none)");
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace whorl::studies::gridding_2d
