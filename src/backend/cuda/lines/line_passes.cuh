// Kernel over lines along x: the threads of a warp are neighbors in a line, the lanes of a packet are neighboring
// lines.
#pragma once

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/lines/column_passes.cuh"

namespace whorl::backend::cuda {

/// Elements of the lines of one packet in global memory.
template <class Real, class T>
struct Lines {
  static constexpr int lanes = Packet<Real>::lanes;
  T* start[lanes];
  Real scale[lanes];
  const Real* factor;
  Window window;
  int length;
  int active;  ///< number of lanes that hold a line; the others load the last line and store nothing

  template <class Value>
  __device__ __forceinline__ Lines(const LineSide<Value, Real>& side, int length_, int y, int z, unsigned one)
      : factor(side.factor[2]), window(side.x), length(length_), active(side.y.count - y) {
    const Index plane = one * side.batch + point(z, side.z.half, side.z_points) * side.plane;
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      const int pixel = min(y + l, side.y.count - 1);
      start[l] = reinterpret_cast<T*>(side.data + plane + point(pixel, side.y.half, side.y_points) * side.row);
      scale[l] = factor != nullptr ? side.factor[0][z] * side.factor[1][pixel] : Real(1);
    }
  }

  __device__ __forceinline__ static int point(int pixel, int half, int points) {
    return pixel >= half ? pixel - half : pixel - half + points;
  }
  /// The value of point n of the axis.
  __device__ __forceinline__ Packet<Real> load(int n) const {
    const int i = n + window.half >= length ? n + window.half - length : n + window.half;
    const bool holds = i < window.count;
    const Packet<Real> v = each_lane<Real>([&](int l) {
      const auto value = load_if(holds, start[l] + i);
      return Complex<Real>{value.x, value.y};
    });
    return factor != nullptr ? multiplied(v, holds ? i : 0) : v;
  }
  /// Stores the value of pixel i of the axis.
  __device__ __forceinline__ void store(int i, const Packet<Real>& v) const {
    const Packet<Real> result = factor != nullptr ? multiplied(v, i) : v;
#pragma unroll
    for (int l = 0; l < lanes; ++l) store_if(l < active, start[l] + i, {result.lane[l].re, result.lane[l].im});
  }
  /// Pixel i times its factor.
  __device__ __forceinline__ Packet<Real> scaled(int i, const Packet<Real>& v) const {
    return factor != nullptr ? multiplied(v, i) : v;
  }

 private:
  __device__ __forceinline__ Packet<Real> multiplied(const Packet<Real>& v, int i) const {
    const Real f = factor[i];
    return each_lane<Real>([&](int l) {
      return Complex<Real>{v.lane[l].re * (scale[l] * f), v.lane[l].im * (scale[l] * f)};
    });
  }
};

/// All stages of a thread's line, from global memory to the tile, whose elements are in the plan's order.
template <class Real, class Plan, class In>
__device__ __forceinline__ void transform_to_tile(const LineThread<Real, Plan>& line, const In& in,
                                                  const LineTile<Real>& tile) {
  line.plan.each([&](auto radix, const auto& stage) {
    constexpr int R = decltype(radix)::value;
    line.each_butterfly(radix, stage, [&](int, int p, int first) {
      Packet<Real> v[R];
      line.load_and_split(stage, p, first, in, tile, v);
      unroll<R>([&](auto k) { tile.store(first + k * stage.span, v[k]); });
    });
    __syncthreads();
  });
}

/// Writes the pixels of a thread's line from the tile to their place, and zeros past the line's end.
template <class Real, class Plan, class Out>
__device__ __forceinline__ void store_from_tile(const KernelTables<Real>& tables, const LineThread<Real, Plan>& line,
                                                const LinePass<Real>& pass, const LineTile<Real>& tile,
                                                const Out& out) {
  const Plan& plan = line.plan;
#pragma unroll 4
  for (int i = line.thread; i < pass.out.x.count; i += plan.threads) {
    const int n = out.point(i, pass.out.x.half, plan.length);
    // Frequency k of the inverse transform is frequency -k of the forward one.
    out.store(i, tile.load(tables.place[pass.inverse && n != 0 ? plan.length - n : n]));
  }
  for (int n = plan.length + line.thread; n < plan.length + pass.padding; n += plan.threads) out.store(n, {});
}

/// A block has blockDim.x / plan.threads packets of lines.
template <class Real, class Plan>
__global__ void __launch_bounds__(Plan::block_threads, Plan::blocks_at_once)
    transform_lines(const __grid_constant__ KernelTables<Real> tables, const __grid_constant__ LinePass<Real> pass) {
  const Plan plan(tables.stages, tables.threads);
  const int packet = static_cast<int>(threadIdx.x) / plan.threads;
  const int thread = static_cast<int>(threadIdx.x) - packet * plan.threads;
  const int packets = static_cast<int>(blockDim.x) / plan.threads;
  const int y = (static_cast<int>(blockIdx.x) * packets + packet) * Packet<Real>::lanes;
  const int z = static_cast<int>(blockIdx.y);
  const Lines<Real, const Complex2<Real>> in(pass.in, plan.length, y, z, blockIdx.z);
  const Lines<Real, Complex2<Real>> out(pass.out, plan.length, y, z, blockIdx.z);
  const LineTile<Real> tile{packet * plan.length};
  const LineThread<Real, Plan> line{plan, tables.twiddle, thread};
  transform_to_tile(line, in, tile);
  store_from_tile(tables, line, pass, tile, out);
}

}  // namespace whorl::backend::cuda
