// A slice of an image with its border, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/edge.hpp"
#include "filter/src/kernels/ordered/ordered.hpp"

namespace whorl::backend::cuda {

template <class T>
struct EdgeSlice {
  const T* pixels;
  Index height, width;
  int channels;
  kernels::Edge<T> edge;

  /// The key by which channel c of a pixel is compared. The pixel may be outside the image.
  __device__ kernels::Ordered<T> at(Index y, Index x, int c) const {
    const Index source_y = border_index(edge.border, y, height);
    const Index source_x = border_index(edge.border, x, width);
    if (source_y < 0 || source_x < 0) return kernels::to_ordered(edge.value);
    return kernels::to_ordered(pixels[(source_y * width + source_x) * channels + c]);
  }
};

/// The slice of a block whose grid has the slices along z.
template <class T>
__device__ EdgeSlice<T> slice_of(const EdgeSlice<T>& image, Index slice) {
  EdgeSlice<T> part = image;
  part.pixels += slice * image.height * image.width * image.channels;
  return part;
}

}  // namespace whorl::backend::cuda
