// Whether lines of a Cartesian scan have the same signal.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "io/ismrmrd/probe.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

/// Lines that differ by more of their energy than this do not differ by noise alone; a scale of 0.73 or 1.37 is as much.
inline constexpr double most_apart = 0.1;

/// Energy of the differences of pairs of readouts over their mean energy, near their centers, where noise is least; none if they have
/// no samples there.
std::optional<double> difference_of_lines(const Context& ctx, const SortedFile& sorted,
                                          const std::vector<std::pair<Index, Index>>& pairs);

/// Notes readouts of one image at the same lines that differ by more than noise, with the counters that tell them apart.
void note_unlike_readouts(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes);

}  // namespace whorl::io
