#include "filter/src/kernels/geometry/frame.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

namespace {

template <class T>
void frame_row(const kernels::FrameJob<T>& job, const T* row, T* to) {
  const Index channels = job.channels;
  const auto at_border = [&](Index begin, Index end) {
    for (Index x = begin; x < end; ++x) {
      const Index column = border_index(job.border, x + job.left, job.width);
      for (Index c = 0; c < channels; ++c) to[x * channels + c] = column < 0 ? job.value : row[column * channels + c];
    }
  };
  const Index begin = std::clamp<Index>(-job.left, 0, job.result_width);
  const Index end = std::clamp<Index>(job.width - job.left, begin, job.result_width);
  at_border(0, begin);
  if (begin < end)
    std::copy(row + (begin + job.left) * channels, row + (end + job.left) * channels, to + begin * channels);
  at_border(end, job.result_width);
}

template <class T>
void frame(const Context& ctx, const kernels::FrameJob<T>& job, const T* from, T* to) {
  const Index length = job.result_width * job.channels;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index at = 0; at < job.slices * job.result_height; ++at) {
    if (ctx.cancel_requested()) continue;
    const Index row = border_index(job.border, at % job.result_height + job.top, job.height);
    T* result = to + at * length;
    if (row < 0) {
      std::fill(result, result + length, job.value);
    } else {
      const Index source = at / job.result_height * job.rows_there + row - job.first_row;
      frame_row(job, from + source * job.width * job.channels, result);
    }
  }
}

}  // namespace

void register_frame() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::frame<T>.set(DeviceKind::cpu, frame<T>);
  });
}

}  // namespace whorl::backend::cpu
