// Work that is repeated, on a CPU.
#include "kernels/repeat.hpp"

namespace whorl::backend::cpu {

namespace {

// On a CPU a record would save nothing, so each call does the work itself.
std::function<void()> make_repeatable(const Context&, std::function<void()> work) { return work; }

}  // namespace

void register_repeat() { kernels::make_repeatable.set(DeviceKind::cpu, make_repeatable); }

}  // namespace whorl::backend::cpu
