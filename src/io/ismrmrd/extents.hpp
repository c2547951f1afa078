// How far readouts, lines and partitions reach whose positions the counters tell, and what the matrix is then.
#pragma once

#include <optional>
#include <vector>

#include "io/ismrmrd/probe.hpp"

namespace whorl::io {

/// Some readouts near the center of k-space, whose transform shows the object's extent along them.
std::vector<ProbedReadout> probe_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header);

/// The center sample of all readouts by counters, if it is not that of their heads: where their echo is, of spokes in the middle or at
/// their start. Notes that of lines and keeps it in the header.
std::optional<Index> settle_readout_center(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                                           EncodingHeader& header);

/// Pixels that the kept samples of the readouts span about their center samples, or about that of all.
Index readout_extent(const SortedFile& sorted, std::optional<Index> of_all);

/// Readouts by counters, lines of Cartesian scans and partitions by counters that reach beyond the encoded matrix: oversampled,
/// which the header does not say, or finer than it says. `center`: that of
/// settle_readout_center.
void settle_extents(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                    std::optional<Index> center, EncodingHeader& header);

}  // namespace whorl::io
