#include "studies/energy/cards.hpp"

#include <barrier>
#include <cstddef>
#include <exception>
#include <thread>

#include "studies/fhd/multi.hpp"
#include "studies/power/meter.hpp"

namespace whorl::studies::energy {

namespace {

/// Runs a case on each device for a while, in a thread of its own.
std::vector<Usage> on_each(std::span<const Context> devices, const Case& one, double seconds) {
  std::vector<Usage> usages(devices.size());
  std::vector<std::exception_ptr> errors(devices.size());
  // Plans come before all of them measure.
  std::barrier planned(static_cast<std::ptrdiff_t>(devices.size()));
  const auto work = [&](std::size_t i) {
    bool waits = true;
    try {
      std::vector<std::string> notes;
      const JouleCounter joules = joule_counter(devices[i], notes);
      const auto plans = std::make_shared<KeptPlans>();
      static_cast<void>(image_of(devices[i], one, plans));
      waits = false;
      planned.arrive_and_wait();
      usages[i] = use_of(devices[i], joules, seconds, [&] { static_cast<void>(image_of(devices[i], one, plans)); });
    } catch (...) {
      errors[i] = std::current_exception();
      if (waits) planned.arrive_and_drop();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < devices.size(); ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return usages;
}

}  // namespace

std::optional<Table> cards_table(const Context& ctx, const Options& options) {
  if (ctx.device().kind == DeviceKind::cpu) return std::nullopt;
  const std::vector<Context> devices = fhd::workers_of(ctx);
  if (devices.size() < 2) return std::nullopt;
  const Case one = cases(ctx, options).back();
  Table table{"cards",
              "Reconstructions by several GPUs at once: " + one.name,
              {"GPUs", "images a second", "x one", "watts", "joules an image"},
              {}};
  double first = 0;
  for (std::size_t count = 1; count <= devices.size();
       count = count < devices.size() ? std::min(2 * count, devices.size()) : count + 1) {
    double rate = 0;
    double watts = 0;
    bool metered = true;
    for (const Usage& usage : on_each(std::span<const Context>(devices).first(count), one, options.seconds)) {
      rate += usage.runs / usage.seconds;
      watts += usage.joules.value_or(0) / usage.seconds;
      metered = metered && usage.joules.has_value();
    }
    if (count == 1) first = rate;
    table.rows.push_back({static_cast<double>(count), rate, rate / first, metered ? Cell(watts) : Cell(),
                          metered ? Cell(watts / rate) : Cell()});
  }
  return table;
}

}  // namespace whorl::studies::energy
