// Amdahl's law, by which teams judged what was worth a GPU.
#pragma once

namespace whorl::studies {

/// The gain of `cores` if a part of the time is divided among them and the rest does not change.
/// Source  Amdahl, AFIPS Spring Joint Computer Conference (1967)
constexpr double amdahl(double parallel_part, double cores) { return 1 / (1 - parallel_part + parallel_part / cores); }

}  // namespace whorl::studies
