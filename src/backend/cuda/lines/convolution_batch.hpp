// How much a convolution works on at a time.
#pragma once

#include <algorithm>

#include "backend/cuda/lines/line_fft_tuning.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cuda {

/// Bytes of the rows and planes of the coils that a convolution processes together, if that is more than one. A plan and the
/// prediction of its memory use it. The bits of a sum over coils do not depend on it (kernels::CoilSum).
inline Index convolution_batch(const Context& ctx) {
  const auto limit = static_cast<double>(ctx.pool().limit());
  return std::min<Index>(tuning::convolution_batch_bytes,
                         static_cast<Index>(tuning::convolution_part_of_memory * limit));
}

}  // namespace whorl::backend::cuda
