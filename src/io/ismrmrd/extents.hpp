// How far readouts, lines and partitions reach whose positions the counters tell, and what the matrix is then.
#pragma once

#include <optional>
#include <vector>

#include "io/ismrmrd/probe.hpp"

namespace whorl::io {

/// Some readouts near the center of k-space, whose transform shows the object's extent along them.
std::vector<ProbedReadout> probe_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header);

/// The center sample of spokes that do not have it in their heads: where their echo is, in the middle or at their start.
std::optional<Index> spoke_center(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                                  const EncodingHeader& header);

/// Pixels that the kept samples of the readouts span about their center samples, or about that of all.
Index readout_extent(const SortedFile& sorted, std::optional<Index> of_all);

/// Readouts by counters, lines of Cartesian scans and partitions by counters that reach beyond the encoded matrix: oversampled,
/// which the header does not say, or finer than it says. `center`: the spoke_center.
void settle_extents(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                    std::optional<Index> center, EncodingHeader& header);

}  // namespace whorl::io
