// Point operations on a CPU.
#pragma once

#include "filter/kernels/points/points.hpp"

namespace whorl::backend::cpu {

/// A row of pixels, or a part of one: for filters that take a point operation into the load or store of their rows.
/// From any type into what the code makes of it; `to` may not overlap `from`. `stream`: results may pass the caches by.
void point_row(const kernels::PointCode& code, Index pixels, const void* from, void* to, bool stream = false);

}  // namespace whorl::backend::cpu
