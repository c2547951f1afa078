// Images turned by right angles, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/quarter_turn.hpp"

namespace whorl::backend::cuda {

template <class T>
void quarter_turn(const Context& ctx, const kernels::QuarterTurnJob& job, const T* from, T* to);

}  // namespace whorl::backend::cuda
