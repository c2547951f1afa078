// Images turned by right angles, on a CPU.
#pragma once

#include "kernels/filter/quarter_turn.hpp"

namespace whorl::backend::cpu {

template <class T>
void quarter_turn(const Context& ctx, const kernels::QuarterTurnJob& job, const T* from, T* to);

}  // namespace whorl::backend::cpu
