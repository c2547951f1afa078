// Amdahl's law, by which teams decided what was worth a GPU.
#pragma once

namespace whorl::studies {

/// The gain of `cores` where a part of the time is shared out to them and the rest stays as it is.
/// Source  Amdahl, AFIPS Spring Joint Computer Conference (1967)
constexpr double amdahl(double parallel_part, double cores) { return 1 / (1 - parallel_part + parallel_part / cores); }

}  // namespace whorl::studies
