// The encoded space and the space of the image, where header and data disagree.
#pragma once

#include "io/ismrmrd/probe.hpp"

namespace whorl::io {

/// Makes the matrices and fields of view of a parsed header agree with the acquisitions and with each other, and sets
/// the pixel ratio. What is found out is noted: a field of view in meters, partitions that nothing encodes, readouts longer than
/// the encoded matrix, oversampling that one space alone knows of, a matrix of the image that is too fine along one axis.
/// Throws IoError for a matrix without pixels.
void settle_spaces(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                   EncodingHeader& header);

}  // namespace whorl::io
