// Kernels over columns, which are neighbors in memory: a block takes `width` packets of them.
#pragma once

#include "backend/cuda/device/line_fft.cuh"

namespace whorl::backend::cuda {

template <class Real>
struct KernelTables {
  LineStages stages;
  const Complex<Real>* twiddle;
  const int* head;
  const int* place;
};

/// Elements of one packet of columns in global memory.
template <class Real, class T>
struct Column {
  T* start;
  Index element;
  Window window;
  int length;
  bool active;  ///< false past the last column

  template <class Value>
  __device__ __forceinline__ Column(const ColumnSide<Value>& side, int length_, int plane, int x, bool active_)
      : start(reinterpret_cast<T*>(side.data + blockIdx.z * side.batch + plane * side.plane + x)),
        element(side.element / Packet<Real>::lanes),
        window(side.window),
        length(length_),
        active(active_) {}

  __device__ __forceinline__ bool holds(int n) const {
    const int i = n + window.half;
    return active && (i >= length ? i - length : i) < window.count;
  }
  __device__ __forceinline__ Packet<Real> load(int n) const {
    return holds(n) ? load_packet(start + n * element) : Packet<Real>{};
  }
  __device__ __forceinline__ void store(int n, const Packet<Real>& v) const {
    if (holds(n)) store_packet(start + n * element, v);
  }
};

template <class Real, class Plan, int width>
struct ColumnThread {
  int packet = static_cast<int>(threadIdx.x) % width;
  int thread = static_cast<int>(threadIdx.x) / width;
  int x = (static_cast<int>(blockIdx.x) * width + packet) * Packet<Real>::lanes;

  __device__ __forceinline__ Tile<Real, width < 8> tile() const {
    extern __shared__ uint4 shared[];
    return {reinterpret_cast<Packet<Real>*>(shared), packet, width};
  }
};

template <class Plan, int width>
inline constexpr int block_threads = 512;
template <int threads, int... radices, int width>
inline constexpr int block_threads<StaticPlan<threads, radices...>, width> = threads* width;

/// Blocks on a multiprocessor: their registers allow so many.
template <class Plan, int width>
inline constexpr int blocks_at_once = block_threads<Plan, width> == 512 && !std::is_same_v<Plan, DynamicPlan> ? 2 : 1;

template <class Real, class Plan, int width>
__global__ void __launch_bounds__(block_threads<Plan, width>, blocks_at_once<Plan, width>)
    transform_columns(const __grid_constant__ KernelTables<Real> tables,
                      const __grid_constant__ ColumnPass<Real> pass) {
  const Plan plan(tables.stages);
  const ColumnThread<Real, Plan, width> place;
  int plane = static_cast<int>(blockIdx.y) - pass.plane.half;
  if (plane < 0) plane += pass.plane_points;
  const bool active = place.x < pass.columns;
  const Column<Real, const Packet<Real>> in(pass.in, plan.length, plane, place.x, active);
  const Column<Real, Packet<Real>> out(pass.out, plan.length, plane, place.x, active);
  const auto tile = place.tile();
  const LineThread<Real, Plan> line{plan, tables.twiddle, place.thread};
  plan.each_but_last([&](auto radix, const auto& stage) {
    if (stage.first) {
      line.split(radix, stage, [&](int n) { return in.load(n); },
                 [&](int n, const auto& v, int, int) { tile.store(n, v); });
    } else {
      line.split(radix, stage, [&](int n) { return tile.load(n); },
                 [&](int n, const auto& v, int, int) { tile.store(n, v); });
    }
    __syncthreads();
  });
  plan.last([&](auto radix, const auto& stage) {
    // The inverse transform's frequency k is the forward one's -k.
    const int step = plan.length / radix;
    const auto store = [&](int, const auto& v, int b, int k) {
      const int frequency = tables.head[b] + k * step;
      out.store(pass.inverse && frequency != 0 ? plan.length - frequency : frequency, v);
    };
    if (stage.first) {
      line.split(radix, stage, [&](int n) { return in.load(n); }, store);
    } else {
      line.split(radix, stage, [&](int n) { return tile.load(n); }, store);
    }
  });
}

/// The last stage of the forward transform and the first of the inverse one have the same points: between them these
/// are in registers, and the spectrum is all that is read.
template <class Real, class Plan, int width>
__global__ void __launch_bounds__(block_threads<Plan, width>, blocks_at_once<Plan, width>)
    convolve_columns(const __grid_constant__ KernelTables<Real> tables,
                     const __grid_constant__ ConvolutionPass<Real> pass) {
  constexpr int lanes = Packet<Real>::lanes;
  const Plan plan(tables.stages);
  const ColumnThread<Real, Plan, width> place;
  const int plane = static_cast<int>(blockIdx.y);
  const bool active = place.x < pass.columns;
  const Column<Real, const Packet<Real>> in(pass.in, plan.length, plane, place.x, active);
  const Column<Real, Packet<Real>> out(pass.out, plan.length, plane, place.x, active);
  const auto tile = place.tile();
  const LineThread<Real, Plan> line{plan, tables.twiddle, place.thread};
  plan.each_but_last([&](auto radix, const auto& stage) {
    if (stage.first) {
      line.split(radix, stage, [&](int n) { return in.load(n); },
                 [&](int n, const auto& v, int, int) { tile.store(n, v); });
    } else {
      line.split(radix, stage, [&](int n) { return tile.load(n); },
                 [&](int n, const auto& v, int, int) { tile.store(n, v); });
    }
    __syncthreads();
  });
  plan.last([&](auto radix, const auto& stage) {
    constexpr int R = decltype(radix)::value;
    using Factors = Vector<Real, lanes>;
    const int step = plan.length / R;
    const auto* spectrum = reinterpret_cast<const Factors*>(pass.spectrum + plane * pass.spectrum_plane + place.x);
    const Index element = pass.spectrum_element / lanes;
    for (int b = place.thread; b < step; b += plan.threads) {
      Packet<Real> v[R];
      Factors factors[R];
      const int head = tables.head[b];
      unroll<R>([&](auto k) { factors[k] = active ? spectrum[(head + k * step) * element] : Factors{}; });
      unroll<R>([&](auto k) { v[k] = stage.first ? in.load(b * R + k) : tile.load(b * R + k); });
      dft<R>(v);
      unroll<R>([&](auto k) {
        v[k] = each_lane<Real>([&](int l) {
          return Complex<Real>{v[k].lane[l].im * factors[k].value[l], v[k].lane[l].re * factors[k].value[l]};
        });
      });
      dft<R>(v);
      unroll<R>([&](auto k) {
        if (stage.first) {
          out.store(b * R + k, exchanged(v[k]));
        } else {
          tile.store(b * R + k, v[k]);
        }
      });
    }
  });
  plan.each_but_last_backwards([&](auto radix, const auto& stage) {
    __syncthreads();
    if (stage.first) {
      line.join(radix, stage, [&](int n) { return tile.load(n); },
                [&](int n, const auto& v) { out.store(n, exchanged(v)); });
    } else {
      line.join(radix, stage, [&](int n) { return tile.load(n); }, [&](int n, const auto& v) { tile.store(n, v); });
    }
  });
}

}  // namespace whorl::backend::cuda
