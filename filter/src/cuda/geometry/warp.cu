#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "filter/src/kernels/geometry/warp.hpp"
#include "filter/src/kernels/multiply_add.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

// The pixels of a block are close together in the image too, for any angle; a warp has 8 x 4 pixels.
constexpr int tile_x = 16;
constexpr int tile_y = 16;
constexpr int warp_x = 8;

// The number of bytes that are read from the first byte of two pixels on.
constexpr int most_bytes = 12;

// Loads eight bytes from any address, by the words that contain them.
__device__ uint2 load_eight(const std::uint8_t* from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto* words = reinterpret_cast<const unsigned*>(address & ~std::uintptr_t{3});
  const auto shift = static_cast<unsigned>(address) * 8;  // funnel shifts use it modulo 32
  const unsigned middle = __ldg(words + 1);
  return {__funnelshift_r(__ldg(words), middle, shift), __funnelshift_r(middle, __ldg(words + 2), shift)};
}

// A pixel between two rows, `along` and `down` beyond the first of each.
__device__ void blend(const std::uint8_t* row, Index apart, int channels, std::int64_t along, std::int64_t down,
                      std::uint8_t* to) {
  constexpr unsigned one = 1U << kernels::warp_weight_bits;
  const uint2 upper = load_eight(row);
  const uint2 lower = load_eight(row + apart);
  const auto right = static_cast<unsigned>(along);
  const auto below = static_cast<unsigned>(down);
  const unsigned weights = (one - right) | right << 16;
  for (int c = 0; c < channels; ++c) {
    const unsigned pair = static_cast<unsigned>(c | (c + channels) << 4);
    const unsigned first = __dp2a_lo(weights, __byte_perm(upper.x, upper.y, pair), 0U);
    const unsigned second = __dp2a_lo(weights, __byte_perm(lower.x, lower.y, pair), 0U);
    const auto sum = static_cast<std::uint64_t>(one - below) * first + static_cast<std::uint64_t>(below) * second;
    to[c] = kernels::warp_result<std::uint8_t>(static_cast<std::int64_t>(sum));
  }
}

template <class T>
__device__ void blend(const T* row, Index apart, int channels, kernels::WarpNumber<T> along,
                      kernels::WarpNumber<T> down, T* to) {
  using Number = kernels::WarpNumber<T>;
  constexpr Number one = std::is_floating_point_v<T> ? 1 : 1 << kernels::warp_weight_bits;
  for (int c = 0; c < channels; ++c) {
    const auto between = [&](const T* two) {
      return kernels::multiply_add(one - along, static_cast<Number>(two[0]),
                                   along * static_cast<Number>(two[channels]));
    };
    const Number first = between(row + c);
    const Number second = between(row + apart + c);
    to[c] = kernels::warp_result<T>(kernels::multiply_add(one - down, first, down * second));
  }
}

// kernels::warp_pixel, with shortcuts for linear interpolation if all or none of the neighbors are in the image.
template <class T>
__device__ void make_pixel(const kernels::WarpJob<T>& job, const T* slice, Index y, Index x, T* to) {
  using kernels::Fixed;
  const Fixed at_y = job.start_y + y * job.down_y + x * job.along_y;
  const Fixed at_x = job.start_x + y * job.down_x + x * job.along_x;
  // Whole pixels have 31 bits and a sign.
  const auto top = static_cast<int>(at_y >> kernels::fixed_bits);
  const auto left = static_cast<int>(at_x >> kernels::fixed_bits);
  const auto height = static_cast<int>(job.height);
  const auto width = static_cast<int>(job.width);
  const int reach = job.cubic ? 2 : 1;
  if (job.border == Border::constant &&
      (top < -reach || top - height >= reach - 1 || left < -reach || left - width >= reach - 1)) {
    for (int c = 0; c < job.channels; ++c) to[c] = job.value;
    return;
  }
  const int there = top - static_cast<int>(job.first_row);
  const auto rows = static_cast<int>(job.rows_there);
  if (!job.cubic && left >= 0 && left < width - 1 && top >= 0 && top < height - 1 && there >= 0 && there < rows - 1) {
    const int row = width * job.channels;
    const int before = left * job.channels;
    // More bytes than the two pixels are read; in the last rows these must not be beyond the image.
    const int most = sizeof(T) == 1 ? most_bytes : 0;
    if (before + most <= row || (there < rows - 2 && most <= row)) {
      blend(slice + Index{there} * row + before, row, job.channels, kernels::warp_fraction<T>(at_x),
            kernels::warp_fraction<T>(at_y), to);
      return;
    }
  }
  kernels::warp_pixel(job, slice, y, x, to);
}

template <class T>
__global__ void __launch_bounds__(tile_x* tile_y)
    warp_kernel(const __grid_constant__ kernels::WarpJob<T> job, const T* __restrict__ from, T* __restrict__ to) {
  constexpr int warps_across = tile_x / warp_x;
  constexpr int lanes = 32;
  const auto lane = static_cast<int>(threadIdx.x % lanes);
  const auto warp = static_cast<int>(threadIdx.x / lanes);
  const Index x = blockIdx.x * Index{tile_x} + warp % warps_across * warp_x + lane % warp_x;
  const Index own_y = warp / warps_across * (lanes / warp_x) + lane / warp_x;
  if (x >= job.result_width) return;
  for (Index slice = blockIdx.z; slice < job.slices; slice += gridDim.z) {
    const T* const source = from + slice * job.rows_there * job.width * job.channels;
    T* const target = to + slice * job.result_height * job.result_width * job.channels;
    for (Index y = blockIdx.y * Index{tile_y} + own_y; y < job.result_height; y += Index{gridDim.y} * tile_y) {
      make_pixel(job, source, y, x, target + (y * job.result_width + x) * job.channels);
    }
  }
}

template <class T>
void warp(const Context& ctx, const kernels::WarpJob<T>& job, const T* from, T* to) {
  constexpr Index most = 65535;
  const Index across = divide_up(job.result_width, tile_x);
  const Index down = divide_up(job.result_height, tile_y);
  const dim3 blocks(static_cast<unsigned>(across), static_cast<unsigned>(std::min(down, most)),
                    static_cast<unsigned>(std::min(job.slices, most)));
  launch(ctx, "warp", warp_kernel<T>, {blocks, tile_x * tile_y}, job, from, to);
}

}  // namespace

void register_warp() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::warp<T>.set(DeviceKind::cuda, warp<T>);
  });
}

}  // namespace whorl::backend::cuda
