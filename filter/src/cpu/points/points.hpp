// Point operations on a CPU.
#pragma once

#include "filter/src/kernels/points/points.hpp"

namespace whorl::backend::cpu {

/// Applies a program to a row of pixels or a part of it, for kernels with point operations in their load or store. `to`
/// must not overlap `from`. `stream`: results may bypass the caches.
void point_row(const kernels::PointCode& code, Index pixels, const void* from, void* to, bool stream = false);

}  // namespace whorl::backend::cpu
