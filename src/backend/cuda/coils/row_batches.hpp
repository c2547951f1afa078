// Images in batches of rows, to bound the memory per batch.
#pragma once

#include <algorithm>
#include <array>

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

/// Whole slices, or some rows of one slice. Either way the rows are neighbors in memory.
struct RowBatch {
  Index first_slice = 0;
  Index slices = 1;
  Index first_row = 0;
  Index rows = 0;

  Index first_voxel(const std::array<Index, 3>& image) const { return (first_slice * image[1] + first_row) * image[2]; }
  Index voxels(const std::array<Index, 3>& image) const { return slices * rows * image[2]; }
};

/// Batches of at most `most_rows` rows (and at least one) of an image of extents z, y, x, in order.
template <class Work>
void for_each_row_batch(const std::array<Index, 3>& image, Index most_rows, const Work& work) {
  const Index rows = std::clamp<Index>(most_rows, 1, image[1]);
  const Index slices = std::clamp<Index>(most_rows / image[1], 1, image[0]);
  for (Index z = 0; z < image[0]; z += slices) {
    for (Index y = 0; y < image[1]; y += rows) {
      work(RowBatch{z, std::min(slices, image[0] - z), y, std::min(rows, image[1] - y)});
    }
  }
}

/// Bytes for the matrices of a batch: enough voxels to keep a large device busy, but a small part of its memory.
inline constexpr Index row_batch_bytes = Index{128} << 20;

}  // namespace whorl::backend::cuda
