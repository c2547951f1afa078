// Kernels over columns. Neighboring columns are adjacent in memory, so a block takes several packets of them; eight
// packets are as wide as the banks of shared memory and the lines of the caches.
#pragma once

#include "backend/cuda/lines/line_fft.cuh"

namespace whorl::backend::cuda {

/// Elements of one packet of columns in global memory.
template <class Real, class T>
struct Column {
  T* start;
  unsigned element;          ///< packets from one to the next
  unsigned gap, gap_length;  ///< points gap to gap + gap_length - 1 hold no pixels

  template <class Value>
  __device__ __forceinline__ Column(const ColumnSide<Value>& side, int length, int plane, int x, bool active)
      : start(reinterpret_cast<T*>(side.data + blockIdx.z * side.batch + plane * side.plane + x)),
        element(static_cast<unsigned>(side.element) / Packet<Real>::lanes),
        gap(active ? side.window.count - side.window.half : 0),
        gap_length(active ? length - side.window.count : ~0U) {}

  __device__ __forceinline__ bool holds(int n) const { return static_cast<unsigned>(n) - gap >= gap_length; }
  // A grid has less than 2^32 packets.
  __device__ __forceinline__ T* at(int n) const { return start + static_cast<unsigned>(n) * element; }
  __device__ __forceinline__ Packet<Real> load(int n) const { return unpacked<Real>(load_if(holds(n), at(n))); }
  __device__ __forceinline__ void store(int n, const Packet<Real>& v) const { store_if(holds(n), at(n), packed(v)); }
};

/// The columns of a thread. Width 0: the launch gives the number of packets.
template <class Real, int given_width>
struct ColumnThread {
  int width, packet, thread, x;

  __device__ __forceinline__ explicit ColumnThread(int launched_width)
      : width(given_width > 0 ? given_width : launched_width),
        packet(static_cast<int>(threadIdx.x) % width),
        thread(static_cast<int>(threadIdx.x) / width),
        x((static_cast<int>(blockIdx.x) * width + packet) * Packet<Real>::lanes) {}

  __device__ __forceinline__ ColumnTile<Real> tile() const { return {packet, width}; }
};

template <class Real, class Plan, int width>
__global__ void __launch_bounds__(Plan::block_threads, Plan::blocks_at_once)
    transform_columns(const __grid_constant__ KernelTables<Real> tables, const __grid_constant__ ColumnPass<Real> pass,
                      int launched_width) {
  const Plan plan(tables.stages, tables.threads);
  const ColumnThread<Real, width> place(launched_width);
  int plane = static_cast<int>(blockIdx.y) - pass.plane.half;
  if (plane < 0) plane += pass.plane_points;
  const bool active = place.x < pass.columns;
  const Column<Real, const Word<Real>> in(pass.in, plan.length, plane, place.x, active);
  const Column<Real, Word<Real>> out(pass.out, plan.length, plane, place.x, active);
  const auto tile = place.tile();
  const LineThread<Real, Plan> line{plan, tables.twiddle, place.thread};
  plan.each([&](auto radix, const auto& stage) {
    constexpr int R = decltype(radix)::value;
    line.each_butterfly(radix, stage, [&](int b, int p, int first) {
      Packet<Real> v[R];
      line.load_and_split(stage, p, first, in, tile, v);
      if (stage.last) {
        // Frequency k of the inverse transform is frequency -k of the forward one.
        const int head = tables.head[b];
        const int step = pass.inverse ? -(plan.length / R) : plan.length / R;
        const int from = pass.inverse ? plan.length - head : head;
        unroll<R>([&](auto k) { out.store(k == 0 && from == plan.length ? 0 : from + k * step, v[k]); });
      } else {
        unroll<R>([&](auto k) { tile.store(first + k * stage.span, v[k]); });
      }
    });
    if (!stage.last) __syncthreads();
  });
}

/// The last stage of the forward transform and the first stage of the inverse one use the same points. Between them the
/// points stay in registers, and only the spectrum is read.
template <class Real, class Plan, int width>
__global__ void __launch_bounds__(Plan::block_threads, Plan::blocks_at_once)
    convolve_columns(const __grid_constant__ KernelTables<Real> tables,
                     const __grid_constant__ ConvolutionPass<Real> pass, int launched_width) {
  constexpr int lanes = Packet<Real>::lanes;
  const Plan plan(tables.stages, tables.threads);
  const ColumnThread<Real, width> place(launched_width);
  const int plane = static_cast<int>(blockIdx.y);
  const bool active = place.x < pass.columns;
  const Column<Real, const Word<Real>> in(pass.in, plan.length, plane, place.x, active);
  const Column<Real, Word<Real>> out(pass.out, plan.length, plane, place.x, active);
  const auto tile = place.tile();
  const LineThread<Real, Plan> line{plan, tables.twiddle, place.thread};
  plan.each_but_last([&](auto radix, const auto& stage) {
    constexpr int R = decltype(radix)::value;
    line.each_butterfly(radix, stage, [&](int, int p, int first) {
      Packet<Real> v[R];
      line.load_and_split(stage, p, first, in, tile, v);
      unroll<R>([&](auto k) { tile.store(first + k * stage.span, v[k]); });
    });
    __syncthreads();
  });
  plan.last([&](auto radix, const auto& stage) {
    constexpr int R = decltype(radix)::value;
    using Factors = Vector<Real, lanes>;
    const Real* spectrum = pass.spectrum + plane * pass.spectrum_plane + place.x;
    const int element = static_cast<int>(pass.spectrum_element);
    line.each_butterfly(radix, stage, [&](int b, int p, int first) {
      Packet<Real> v[R];
      Factors factors[R];
      const int head = tables.head[b];
      unroll<R>([&](auto k) {
        const int n = head + k * (plan.length / R);
        factors[k] = *reinterpret_cast<const Factors*>(spectrum + (active ? static_cast<Index>(n) * element : 0));
      });
      line.load_and_split(stage, p, first, in, tile, v);
      unroll<R>([&](auto k) {
        v[k] = each_lane<Real>([&](int l) {
          return Complex<Real>{v[k].lane[l].im * factors[k].value[l], v[k].lane[l].re * factors[k].value[l]};
        });
      });
      dft<R>(v);
      if (stage.first) {
        unroll<R>([&](auto k) { out.store(first + k, exchanged(v[k])); });
      } else {
        unroll<R>([&](auto k) { tile.store(first + k, v[k]); });
      }
    });
  });
  plan.each_but_last_backwards([&](auto radix, const auto& stage) {
    __syncthreads();
    line.join(radix, stage, out, tile);
  });
}

}  // namespace whorl::backend::cuda
