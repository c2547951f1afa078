// Transforms of a tile of lines in shared memory by the stages of a plan, a packet of lines per thread.
#pragma once

#include "backend/cuda/device/line_plan.cuh"
#include "backend/cuda/line_passes.hpp"

namespace whorl::backend::cuda {

/// Shared memory holds element n of a thread's lines at slot(origin + n * step). Eight packets are as wide as the banks:
/// where steps of less than eight packets would meet in one bank, each group of eight is permuted by the digits above it.
template <class Real, bool spread>
struct Tile {
  Packet<Real>* shared;
  int origin;
  int step;

  __device__ __forceinline__ static int slot(int i) {
    return spread ? i ^ (((i >> 3) ^ (i >> 6) ^ (i >> 9)) & 7) : i;
  }
  __device__ __forceinline__ Packet<Real> load(int n) const { return load_packet(shared + slot(origin + n * step)); }
  __device__ __forceinline__ void store(int n, const Packet<Real>& v) const {
    store_packet(shared + slot(origin + n * step), v);
  }
};

/// What one thread does of a line's transform.
template <class Real, class Plan>
struct LineThread {
  const Plan& plan;
  const Complex<Real>* twiddle;
  int thread;  ///< of those that share the line

  /// One stage: load(n), the transforms, the twiddle factors, store(n, value, butterfly, k).
  template <int R, class Stage, class Load, class Store>
  __device__ __forceinline__ void split(Constant<R>, const Stage& stage, const Load& load,
                                        const Store& store) const {
    for (int b = thread; b < plan.length / R; b += plan.threads) {
      const int block = stage.block_of(b);
      const int p = b - block * stage.span;
      const int first = block * R * stage.span + p;
      Packet<Real> v[R];
      unroll<R>([&](auto k) { v[k] = load(first + k * stage.span); });
      dft<R>(v);
      if (!stage.last) {
        unroll<R - 1>([&](auto k) { v[k + 1] = v[k + 1] * factor(stage, k, p); });
      }
      unroll<R>([&](auto k) { store(first + k * stage.span, v[k], b, k); });
    }
  }

  /// The same backwards: what undoes `split`, but for a factor R, when real and imaginary parts are exchanged.
  template <int R, class Stage, class Load, class Store>
  __device__ __forceinline__ void join(Constant<R>, const Stage& stage, const Load& load,
                                       const Store& store) const {
    for (int b = thread; b < plan.length / R; b += plan.threads) {
      const int block = stage.block_of(b);
      const int p = b - block * stage.span;
      const int first = block * R * stage.span + p;
      Packet<Real> v[R];
      unroll<R>([&](auto k) { v[k] = load(first + k * stage.span); });
      unroll<R - 1>([&](auto k) { v[k + 1] = v[k + 1] * factor(stage, k, p); });
      dft<R>(v);
      unroll<R>([&](auto k) { store(first + k * stage.span, v[k]); });
    }
  }

 private:
  template <class Stage>
  __device__ __forceinline__ Complex<Real> factor(const Stage& stage, int k, int p) const {
    return twiddle[stage.table + k * stage.span + p];
  }
};

}  // namespace whorl::backend::cuda
