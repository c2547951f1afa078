// The search for a shift on a GPU: a block for each shift, or several that divide its rows.
#include <algorithm>
#include <vector>

#include "studies/image_filters/gpu_launch.cuh"
#include "studies/image_filters/plates/plates.hpp"

namespace whorl::studies::image_filters {

namespace {

constexpr int cost_threads = 256;
using Count = unsigned long long;

template <class Sum>
__device__ Sum sum_of_block(Sum own) {
  __shared__ Sum warps[cost_threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(0xffffffffU, own, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  Sum all = 0;
  if (threadIdx.x == 0) {
    for (const Sum& warp : warps) all += warp;
  }
  return all;
}

/// Adds the squares of every gridDim.y-th row to costs [shift], which are 0 before.
template <class Sum, class Number>
__global__ void costs_of_shifts(Plate fixed, Plate moving, ComparedPart part, ShiftList shifts, Sum* costs) {
  const PlateShift shift = shifts.at(static_cast<int>(blockIdx.x));
  Sum sum = 0;
  for (int y = part.top + static_cast<int>(blockIdx.y); y < part.bottom; y += static_cast<int>(gridDim.y)) {
    const Byte* const a = fixed.pixels + Index{y} * fixed.width;
    const Byte* const b = moving.pixels + Index{y + shift.dy} * moving.width + shift.dx;
    for (int x = part.left + static_cast<int>(threadIdx.x); x < part.right; x += cost_threads) {
      const Number difference = static_cast<Number>(a[x]) - static_cast<Number>(b[x]);
      sum += static_cast<Sum>(difference * difference);
    }
  }
  const Sum all = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(costs + blockIdx.x, all);
}

template <class Sum, class Number>
PlateShift best_on_gpu(const Context& ctx, const Plate& fixed, const Plate& moving, const ShiftList& shifts,
                       unsigned parts) {
  const ComparedPart part(fixed, shifts.reach());
  Array<Sum> costs = zeros<Sum>(ctx, {shifts.count()});
  const dim3 blocks(static_cast<unsigned>(shifts.count()), parts);
  costs_of_shifts<Sum, Number><<<blocks, cost_threads, 0, stream_of(ctx)>>>(fixed, moving, part, shifts, costs.data());
  check_launch("costs_of_shifts");
  const Array<Sum> here = to_host(ctx, costs.ref());
  const Sum* const first = here.data();
  return shifts.at(static_cast<int>(std::min_element(first, first + here.size()) - first));
}

__global__ void halve_plate(Plate plate, Byte* half) {
  const int width = plate.width / 2;
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= width || y >= plate.height / 2) return;
  const Byte* const upper = plate.pixels + Index{2} * y * plate.width + 2 * x;
  const Byte* const lower = upper + plate.width;
  half[Index{y} * width + x] = static_cast<Byte>((upper[0] + upper[1] + lower[0] + lower[1] + 2) / 4);
}

Array<Byte> halved_on_gpu(const Context& ctx, const Plate& plate) {
  Array<Byte> half(ctx, {plate.height / 2, plate.width / 2});
  halve_plate<<<pixel_grid(plate.width / 2, plate.height / 2), pixel_block, 0, stream_of(ctx)>>>(plate, half.data());
  check_launch("halve_plate");
  return half;
}

PlateShift blocks_in_double(const Context& ctx, const Plate& fixed, const Plate& moving) {
  return best_on_gpu<double, double>(ctx, fixed, moving, {}, 1);
}

PlateShift blocks_in_integers(const Context& ctx, const Plate& fixed, const Plate& moving) {
  return best_on_gpu<Count, int>(ctx, fixed, moving, {}, 1);
}

PlateShift coarse_first_on_gpu(const Context& ctx, const Plate& fixed, const Plate& moving) {
  return search_from_coarse(
      fixed, moving, shift_range, [&](const Plate& plate) { return halved_on_gpu(ctx, plate); },
      [&](const Plate& a, const Plate& b, const ShiftList& shifts) {
        // Blocks for a whole device where there are few shifts.
        constexpr int most_blocks = 1024;
        const auto parts = static_cast<unsigned>(std::clamp(most_blocks / shifts.count(), 1, a.height));
        return best_on_gpu<Count, int>(ctx, a, b, shifts, parts);
      });
}

}  // namespace

std::vector<PlateStep> plate_steps_on_gpu() {
  return {{"a block for each shift, double", blocks_in_double},
          {"integers", blocks_in_integers},
          {"halved plates first", coarse_first_on_gpu}};
}

}  // namespace whorl::studies::image_filters
