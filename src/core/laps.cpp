#include "whorl/core/laps.hpp"

#include "kernels/device_runtime.hpp"

namespace whorl {

Laps::Laps(const Context& ctx) : timer_(kernels::runtime_of(ctx.device().kind)->make_lap_timer(ctx)) {}
Laps::~Laps() = default;
void Laps::mark() { timer_->mark(); }
std::vector<double> Laps::milliseconds() { return timer_->milliseconds(); }

}  // namespace whorl
