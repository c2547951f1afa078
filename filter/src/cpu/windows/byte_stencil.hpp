// Correlation of images of bytes with kernels of small integers.
#pragma once

#include <optional>

#include "filter/src/cpu/points/point_ends.hpp"
#include "filter/src/cpu/windows/byte_sums.hpp"
#include "filter/src/kernels/windows/stencil.hpp"

namespace whorl::backend::cpu {

/// The kernel's nonzero numbers in pairs, and the last step for their sum.
struct BytePlan {
  std::vector<std::int32_t> places;  ///< in the kernel, [height * width]
  std::vector<BytePair> pairs;       ///< of indices in `places`
  ByteFinish finish;
};

/// Empty if sums or the last step need more than 16 bits.
std::optional<BytePlan> byte_plan(const kernels::Stencil& stencil);

void byte_stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const BytePlan& plan,
                  const RowsIn<std::uint8_t>& in, const RowsOut<std::uint8_t>& out);

}  // namespace whorl::backend::cpu
