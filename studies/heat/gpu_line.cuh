// The kernels of implicit steps on a line: all steps in one launch, by a thread or by a block.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::studies::heat {

inline constexpr int most_levels = 24;

struct GpuLine {
  double* u;  ///< [n], and what comes of it
  int n;
  double a;
  double beyond;
  Index steps;
};

// step: GPU, elimination by one thread
/// One thread does what a CPU does, much slower: every operation waits for the one before.
inline __global__ void one_thread_kernel(GpuLine line, const double* scale, const double* after, double* w) {
  for (Index step = 0; step < line.steps; ++step) {
    double d = 0;
    for (int i = 0; i < line.n; ++i) {
      d = scale[i] * (line.u[i] + line.a * d);
      w[i] = d;
    }
    double next = 0;
    for (int i = line.n - 1; i >= 0; --i) {
      next = w[i] + after[i] * next;
      line.u[i] = next + line.beyond * (next - line.u[i]);
    }
  }
}
// end of step

// step: parallel cyclic reduction
/// Parallel cyclic reduction of any tridiagonal system, one equation per thread: each level eliminates the neighbors,
/// which introduces those twice as far, until they lie beyond the line.
inline __global__ void cyclic_reduction_kernel(GpuLine line) {
  extern __shared__ double shared[];
  const int n = line.n;
  const int i = static_cast<int>(threadIdx.x);
  double* const lower = shared;
  double* const diagonal = lower + n;
  double* const upper = diagonal + n;
  double* const right = upper + n;
  double u = i < n ? line.u[i] : 0;
  for (Index step = 0; step < line.steps; ++step) {
    if (i < n) {
      lower[i] = i > 0 ? -line.a : 0;
      diagonal[i] = 1 + 2 * line.a;
      upper[i] = i + 1 < n ? -line.a : 0;
      right[i] = u;
    }
    __syncthreads();
    for (int apart = 1; apart < n; apart *= 2) {
      double l = 0, d = 1, r = 0, b = 0;
      if (i < n) {
        d = diagonal[i];
        b = right[i];
        if (i >= apart) {
          const double factor = -lower[i] / diagonal[i - apart];
          l = factor * lower[i - apart];
          d += factor * upper[i - apart];
          b += factor * right[i - apart];
        }
        if (i + apart < n) {
          const double factor = -upper[i] / diagonal[i + apart];
          r = factor * upper[i + apart];
          d += factor * lower[i + apart];
          b += factor * right[i + apart];
        }
      }
      __syncthreads();
      if (i < n) {
        lower[i] = l;
        diagonal[i] = d;
        upper[i] = r;
        right[i] = b;
      }
      __syncthreads();
    }
    if (i < n) {
      const double w = right[i] / diagonal[i];
      u = w + line.beyond * (w - u);
    }
    __syncthreads();
  }
  if (i < n) line.u[i] = u;
}
// end of step

// step: the same for equal equations; cyclic reduction, one axis first
/// The factors of the levels, made once by the host.
template <class Real>
struct Levels {
  Real factors[most_levels];
  Real scale;
  int count;
};

/// Element i of a line of n in shared memory that continues beyond its walls, at -1 and n, with the opposite sign.
template <class Real>
__device__ Real beyond_walls(const Real* d, int i, int n) {
  if (i >= 0 && i < n) return d[i];
  const int period = 2 * (n + 1);
  const int at = ((i + 1) % period + period) % period;
  if (at == 0 || at == n + 1) return 0;
  return at <= n ? d[at - 1] : -d[period - at - 1];
}

/// Parallel cyclic reduction of this system, whose equations are all equal: one multiplication per level, no division, and only levels
/// that have an effect. A block keeps a line in shared memory from the first step to the last.
template <class Real>
__global__ void equal_reduction_kernel(Real* lines, int n, Real beyond, Index steps, Levels<Real> levels) {
  extern __shared__ double shared[];
  Real* const u = reinterpret_cast<Real*>(shared);
  Real* from = u + n;
  Real* to = from + n;
  Real* const line = lines + blockIdx.x * Index{n};
  const int first = static_cast<int>(threadIdx.x);
  const int stride = static_cast<int>(blockDim.x);
  for (int i = first; i < n; i += stride) u[i] = line[i];
  for (Index step = 0; step < steps; ++step) {
    for (int i = first; i < n; i += stride) from[i] = u[i];
    __syncthreads();
    for (int level = 0; level < levels.count; ++level) {
      const int apart = 1 << level;
      for (int i = first; i < n; i += stride) {
        const Real sides = beyond_walls(from, i - apart, n) + beyond_walls(from, i + apart, n);
        to[i] = from[i] + levels.factors[level] * sides;
      }
      Real* const other = from;
      from = to;
      to = other;
      __syncthreads();
    }
    for (int i = first; i < n; i += stride) {
      const Real w = levels.scale * from[i];
      u[i] = w + beyond * (w - u[i]);
    }
    // The next step writes to `from`, each thread where it has just read.
  }
  for (int i = first; i < n; i += stride) line[i] = u[i];
}
// end of step

}  // namespace whorl::studies::heat
