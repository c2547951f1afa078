#include <algorithm>

#include "backend/cuda/coils/coil_maps.hpp"
#include "backend/cuda/coils/row_batches.hpp"

namespace whorl::backend::cuda {

// The matrices of the sign's iteration with the Gram matrix, or before it the patches that this one is summed from;
// then the polynomial and what is evaluated of it at a time.
Index espirit_memory(const Context&, const kernels::EspiritSizes& sizes, Index real_bytes) {
  constexpr auto double_bytes = static_cast<Index>(sizeof(std::complex<double>));
  Index rows = sizes.coils;
  Index patches = 1;
  Index terms = 1;
  std::array<Index, 3> support{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    rows *= sizes.kernel[axis];
    patches *= sizes.calibration[axis] - sizes.kernel[axis] + 1;
    support[axis] = 2 * sizes.kernel[axis] - 1;
    terms *= support[axis];
  }
  constexpr Index matrices_of_sign = 4;
  const Index making =
      std::max(matrices_of_sign * rows * rows, rows * rows + std::min(patches, espirit_patches_at_once) * rows);

  const Index pairs = sizes.coils * (sizes.coils + 1) / 2;
  const auto& image = sizes.image;
  Index evaluating = 0;
  for_each_row_batch(image, row_batch_bytes / (pairs * image[2] * 2 * real_bytes), [&](const RowBatch& batch) {
    const Index of_slices = batch.slices * pairs * support[1] * support[2];
    const Index of_rows = batch.slices * batch.rows * pairs * support[2];
    const Index matrices = pairs * batch.voxels(image) * 2 * real_bytes;
    evaluating = std::max(evaluating, (of_slices + of_rows) * double_bytes + matrices);
  });
  return std::max(making * double_bytes, pairs * terms * double_bytes + evaluating);
}

}  // namespace whorl::backend::cuda
