// Point operations on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/points/points.hpp"

namespace whorl::backend::cuda {

/// Bytes by tables of bytes, the most common operation on pictures: `tables` of 256 bytes, one per channel (1 to 4).
/// Both images begin at multiples of 16 bytes.
void bytes_by_tables(const Context& ctx, const std::uint8_t* tables, int channels, Index bytes,
                     const std::uint8_t* from, std::uint8_t* to);

/// RGB of bytes to gray by a step PointOp::mix, then by a table of 256 bytes if it is not null. Both images begin at
/// multiples of 16 bytes.
void gray_of_bytes(const Context& ctx, const kernels::PointStep& mix, const std::uint8_t* table, Index pixels,
                   const std::uint8_t* from, std::uint8_t* to);

}  // namespace whorl::backend::cuda
