// Point operations as separate passes, for kernels that do none.
#pragma once

#include "filter/src/kernels/points/point_ends.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cuda {

/// Calls work(image, result) between passes for the operations. `format` is the format of the image, with pixels T; the
/// result has pixels Out and the same extents and channels.
template <class T, class Out, class Work>
void in_passes(const Context& ctx, const ImageFormat& format, const kernels::PointEnds& ends, const void* from,
               void* to, const Work& work) {
  const Index pixels = format.slices() * format.height * format.width;
  Array<T> read;
  Array<Out> written;
  if (ends.load != nullptr) {
    read = Array<T>(ctx, format.shape());
    kernels::apply_points(ctx, *ends.load, pixels, from, read.data());
  }
  if (ends.store != nullptr) written = Array<Out>(ctx, format.shape());
  work(ends.load != nullptr ? read.data() : static_cast<const T*>(from),
       ends.store != nullptr ? written.data() : static_cast<Out*>(to));
  if (ends.store != nullptr) kernels::apply_points(ctx, *ends.store, pixels, written.data(), to);
}

}  // namespace whorl::backend::cuda
