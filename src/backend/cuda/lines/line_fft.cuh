// Transforms of a tile of lines in shared memory by the stages of a plan, a packet of lines per thread.
#pragma once

#include "backend/cuda/lines/line_passes.hpp"
#include "backend/cuda/lines/line_plan.cuh"

namespace whorl::backend::cuda {

template <class Real>
struct KernelTables {
  LineStages stages;
  int threads;  ///< number of threads that share a line, if the plan does not know it
  const Complex<Real>* twiddle;
  const int* head;
  const int* place;
};

/// Elements of a thread's columns in shared memory: a packet has 16 bytes; eight packets are as wide as the banks.
template <class Real>
struct ColumnTile {
  int start;
  int width;  ///< packets from one element to the next

  __device__ __forceinline__ Packet<Real> load(int n) const {
    return unpacked<Real>(shared_words<Real>()[start + n * width]);
  }
  __device__ __forceinline__ void store(int n, const Packet<Real>& v) const {
    shared_words<Real>()[start + n * width] = packed(v);
  }
};

/// Elements of a thread's lines in shared memory, one after another. Each group of eight is permuted according to the
/// higher digits of its index, because threads whose elements are a power of two apart would meet in one bank.
template <class Real>
struct LineTile {
  int start;

  __device__ __forceinline__ int at(int n) const {
    const int i = start + n;
    return i ^ (((i >> 3) ^ (i >> 6) ^ (i >> 9)) & 7);
  }
  __device__ __forceinline__ Packet<Real> load(int n) const { return unpacked<Real>(shared_words<Real>()[at(n)]); }
  __device__ __forceinline__ void store(int n, const Packet<Real>& v) const { shared_words<Real>()[at(n)] = packed(v); }
};

/// One thread's part of a line's transform. `load` and `store` take the index of an element (and the value to store).
/// If there are two of them, the first is for the outer end: the first stage loads from it, the last stage stores to
/// it.
template <class Real, class Plan>
struct LineThread {
  const Plan& plan;
  const Complex<Real>* twiddle;
  int thread;  ///< number of the thread among those that share the line

  template <int R, class Stage, class Work>
  __device__ __forceinline__ void each_butterfly(Constant<R>, const Stage& stage, const Work& work) const {
    for (int b = thread; b < plan.length / R; b += plan.threads) {
      const int block = stage.first ? 0 : stage.block_of(b);
      const int p = b - block * stage.span;
      work(b, p, block * R * stage.span + p);
    }
  }

  /// One stage: the transforms, then the twiddle factors.
  template <int R, class Stage, class Outer, class Inner>
  __device__ __forceinline__ void load_and_split(const Stage& stage, int p, int first, const Outer& outer,
                                                 const Inner& inner, Packet<Real> (&v)[R]) const {
    if (stage.first) {
      unroll<R>([&](auto k) { v[k] = outer.load(first + k * stage.span); });
    } else {
      unroll<R>([&](auto k) { v[k] = inner.load(first + k * stage.span); });
    }
    dft<R>(v);
    if (!stage.last) twist<R>(stage, p, v);
  }

  /// The reverse of a stage, up to a factor R, with real and imaginary parts exchanged.
  template <int R, class Stage, class Outer, class Inner>
  __device__ __forceinline__ void join(Constant<R> radix, const Stage& stage, const Outer& outer,
                                       const Inner& inner) const {
    each_butterfly(radix, stage, [&](int, int p, int first) {
      Packet<Real> v[R];
      unroll<R>([&](auto k) { v[k] = inner.load(first + k * stage.span); });
      twist<R>(stage, p, v);
      dft<R>(v);
      if (stage.first) {
        unroll<R>([&](auto k) { outer.store(first + k * stage.span, exchanged(v[k])); });
      } else {
        unroll<R>([&](auto k) { inner.store(first + k * stage.span, v[k]); });
      }
    });
  }

 private:
  template <int R, class Stage>
  __device__ __forceinline__ void twist(const Stage& stage, int p, Packet<Real> (&v)[R]) const {
    unroll<R - 1>([&](auto k) { v[k + 1] = v[k + 1] * twiddle[stage.table + k * stage.span + p]; });
  }
};

}  // namespace whorl::backend::cuda
