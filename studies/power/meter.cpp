#include "studies/power/meter.hpp"

#include <chrono>
#include <memory>

#include "studies/power/nvml.hpp"
#include "studies/power/rapl.hpp"

namespace whorl::studies {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

JouleCounter joule_counter(const Context& ctx, std::vector<std::string>& notes) {
  if (ctx.device().kind == DeviceKind::cuda) {
    if (const std::shared_ptr<EnergyMeter> meter = EnergyMeter::open(pci_bus_id(ctx))) {
      return [meter] { return meter->joules(); };
    }
    notes.emplace_back("Energy of the GPU: not measured; it takes a driver that has NVML");
    return {};
  }
  if (const std::shared_ptr<RaplMeter> meter = RaplMeter::open()) {
    return [meter] { return meter->joules(); };
  }
  notes.emplace_back(
      "Energy of the CPU: not measured; no readable RAPL counter in /sys/class/powercap (root may read them, virtual "
      "machines have none)");
  return {};
}

Usage use_of(const Context& ctx, const JouleCounter& joules, double seconds, const std::function<void()>& work) {
  // The host asks for hundredths of a second of work at a time, so that the device has no pause.
  constexpr double long_enough = 0.02;
  constexpr int most_at_a_time = 64;
  int at_a_time = 1;
  Usage usage;
  ctx.synchronize();
  const double start = now();
  const double before = joules ? joules() : 0;
  do {
    for (int i = 0; i < at_a_time; ++i) work();
    ctx.synchronize();
    ctx.check_cancel("study");
    const double until_here = now() - start;
    usage.runs += at_a_time;
    if (until_here - usage.seconds < long_enough && at_a_time < most_at_a_time) at_a_time *= 2;
    usage.seconds = until_here;
  } while (usage.seconds < seconds);
  if (joules) usage.joules = joules() - before;
  return usage;
}

}  // namespace whorl::studies
