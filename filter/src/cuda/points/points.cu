// Point operations on an NVIDIA GPU. The first code in this list that takes the program is used:
//
//   bytes by tables of bytes            byte_tables   four bytes per word, tables in shared memory
//   RGB of bytes to gray, then a table  byte_mixes    twelve bytes to four
//   all others                          here          a pixel per thread, step by step (point_words.cuh)
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/points/point_words.cuh"
#include "filter/src/cuda/points/points.hpp"

namespace whorl::backend::cuda {

namespace {

template <class From, class To>
__global__ void __launch_bounds__(loop_threads)
    points_kernel(const __grid_constant__ kernels::PointCode code, Index pixels, const From* __restrict__ from,
                  To* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x * pixels_at_once;
  for (Index i = (blockIdx.x * Index{blockDim.x} + threadIdx.x) * pixels_at_once; i < pixels; i += stride) {
    Pixel p[pixels_at_once] = {};
    load_four_through(code, from, i, pixels, p);
    if (i + pixels_at_once <= pixels) {
      store_four(p, to, i, code.channels_to);
    } else {
#pragma unroll
      for (int k = 0; k < pixels_at_once; ++k) {
        if (i + k < pixels) store_pixel(p[k], to, i + k, code.channels_to);
      }
    }
  }
}

template <class From, class To>
void launch(const Context& ctx, const kernels::PointCode& code, Index pixels, const void* from, void* to) {
  launch_loop(ctx, "points", points_kernel<From, To>, divide_up(pixels, pixels_at_once), code, pixels,
              static_cast<const From*>(from), static_cast<To*>(to));
}

bool is_byte_table(const kernels::PointCode& code) {
  return code.count == 1 && code.steps[0].op == kernels::PointOp::table && code.from == PixelType::uint8 &&
         code.to == PixelType::uint8;
}

// Whether the program is RGB to gray, with or without a table for the levels after it.
bool is_byte_mix(const kernels::PointCode& code) {
  const bool mixes = code.count >= 1 && code.steps[0].op == kernels::PointOp::mix && code.channels_from == 3;
  const bool alone = code.count == 1 || (code.count == 2 && code.steps[1].op == kernels::PointOp::table);
  return mixes && alone && code.from == PixelType::uint8 && code.to == PixelType::uint8;
}

void apply_points(const Context& ctx, const kernels::PointCode& code, Index pixels, const void* from, void* to) {
  if (is_byte_table(code)) {
    bytes_by_tables(ctx, static_cast<const std::uint8_t*>(code.steps[0].table),
                    code.steps[0].table_stride == 0 ? 1 : code.channels_from, pixels * code.channels_from,
                    static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to));
    return;
  }
  if (is_byte_mix(code)) {
    gray_of_bytes(ctx, code.steps[0], code.count == 1 ? nullptr : static_cast<const std::uint8_t*>(code.steps[1].table),
                  pixels, static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to));
    return;
  }
  with_pixel_type(code.from, [&](auto before) {
    with_pixel_type(code.to,
                    [&](auto after) { launch<decltype(before), decltype(after)>(ctx, code, pixels, from, to); });
  });
}

}  // namespace

void register_points() { kernels::apply_points.set(DeviceKind::cuda, apply_points); }

}  // namespace whorl::backend::cuda
