#include <algorithm>

#include "backend/cpu/coils/coil_maps.hpp"

namespace whorl::backend::cpu {

// Each thread sums the Gram matrix of its own patches; its eigenvectors are found in a copy, and those of the signal
// copied once more. Then the polynomial and a row of matrices for each thread, in double.
Index espirit_memory(const Context& ctx, const kernels::EspiritSizes& sizes, Index) {
  constexpr auto double_bytes = static_cast<Index>(sizeof(std::complex<double>));
  Index rows = sizes.coils;
  Index terms = 1;
  for (const Index extent : sizes.kernel) {
    rows *= extent;
    terms *= 2 * extent - 1;
  }
  const Index matrix = rows * rows;
  const Index making = std::max(ctx.threads() * (matrix + espirit_patches_at_once * rows), 3 * matrix);
  const Index pairs = sizes.coils * (sizes.coils + 1) / 2;
  return double_bytes * std::max(making, pairs * (terms + ctx.threads() * sizes.image[2]));
}

}  // namespace whorl::backend::cpu
