// Kernel over lines along x: a warp's threads are neighbors in a line, a packet's lanes are neighboring lines.
#pragma once

#include "backend/cuda/device/column_passes.cuh"

namespace whorl::backend::cuda {

/// Elements of the lines of one packet in global memory.
template <class Real, class T>
struct Lines {
  static constexpr int lanes = Packet<Real>::lanes;
  T* start[lanes];     ///< null past the last line
  Real scale[lanes];
  const Real* factor;
  Window window;
  int length;
  bool compact;

  template <class Value>
  __device__ __forceinline__ Lines(const LineSide<Value, Real>& side, int length_, int y, int z)
      : factor(side.factor[2]), window(side.x), length(length_), compact(side.compact) {
    const Index plane = blockIdx.z * side.batch + point(z, side.z.half, side.z_points) * side.plane;
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      const bool active = y + l < side.y.count;
      start[l] = active ? reinterpret_cast<T*>(side.data + plane + point(y + l, side.y.half, side.y_points) * side.row)
                        : nullptr;
      scale[l] = active && factor != nullptr ? side.factor[0][z] * side.factor[1][y + l] : Real(1);
    }
  }

  __device__ __forceinline__ static int point(int pixel, int half, int points) {
    return pixel >= half ? pixel - half : pixel - half + points;
  }
  __device__ __forceinline__ Packet<Real> load(int n) const {
    int i = n + window.half;
    if (i >= length) i -= length;
    Packet<Real> v{};
    if (i < window.count) {
      const Real f = factor != nullptr ? factor[i] : Real(1);
      v = each_lane<Real>([&](int l) {
        if (start[l] == nullptr) return Complex<Real>{};
        const Complex<Real> c = start[l][compact ? i : n];
        return Complex<Real>{c.re * (scale[l] * f), c.im * (scale[l] * f)};
      });
    }
    return v;
  }
  __device__ __forceinline__ void store(int i, int n, const Packet<Real>& v) const {
    const Real f = factor != nullptr ? factor[i] : Real(1);
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      if (start[l] != nullptr) {
        start[l][compact ? i : n] = {v.lane[l].re * (scale[l] * f), v.lane[l].im * (scale[l] * f)};
      }
    }
  }
};

/// As many packets as the block has lines of threads.
template <class Real, class Plan>
__global__ void __launch_bounds__(block_threads<Plan, 8>, blocks_at_once<Plan, 8>)
    transform_lines(const __grid_constant__ KernelTables<Real> tables, const __grid_constant__ LinePass<Real> pass) {
  extern __shared__ uint4 shared[];
  const Plan plan(tables.stages);
  const int packet = static_cast<int>(threadIdx.x) / plan.threads;
  const int thread = static_cast<int>(threadIdx.x) - packet * plan.threads;
  const int packets = static_cast<int>(blockDim.x) / plan.threads;
  const int y = (static_cast<int>(blockIdx.x) * packets + packet) * Packet<Real>::lanes;
  const int z = static_cast<int>(blockIdx.y);
  const Lines<Real, const Complex<Real>> in(pass.in, plan.length, y, z);
  const Lines<Real, Complex<Real>> out(pass.out, plan.length, y, z);
  const Tile<Real, true> tile{reinterpret_cast<Packet<Real>*>(shared), packet * plan.length, 1};
  const LineThread<Real, Plan> line{plan, tables.twiddle, thread};
  const auto transform = [&](auto radix, const auto& stage) {
    const auto store = [&](int n, const auto& v, int, int) { tile.store(n, v); };
    if (stage.first) {
      line.split(radix, stage, [&](int n) { return in.load(n); }, store);
    } else {
      line.split(radix, stage, [&](int n) { return tile.load(n); }, store);
    }
    __syncthreads();
  };
  plan.each_but_last(transform);
  plan.last(transform);
#pragma unroll 4
  for (int i = thread; i < pass.out.x.count; i += plan.threads) {
    const int n = out.point(i, pass.out.x.half, plan.length);
    // The inverse transform's frequency k is the forward one's -k.
    out.store(i, n, tile.load(tables.place[pass.inverse && n != 0 ? plan.length - n : n]));
  }
  for (int n = plan.length + thread; n < plan.length + pass.padding; n += plan.threads) out.store(0, n, {});
}

}  // namespace whorl::backend::cuda
