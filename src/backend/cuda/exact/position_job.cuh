// The input and output of the sums between samples and positions.
#pragma once

#include "backend/cuda/device/complex.cuh"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

/// Points [x, y, z][count]; missing axes are zero.
struct PointPlanes {
  const double* data;
  int count;
  __device__ double at(int axis, int i) const { return data[Index{axis} * count + i]; }
};

/// Sums at `lanes` over `terms`. Both are samples or positions.
template <class Real>
struct PositionJob {
  PointPlanes lanes;
  PointPlanes terms;
  const Complex2<Real>* weights;  ///< [batch][term]
  int batch;
  int terms_per_part;    ///< blockIdx.y is the part
  bool conjugate;        ///< exp(-2 pi i k.r) instead
  Complex2<Real>* sums;  ///< [batch][lane] if there is one part,
  double2* partial;      ///< [part][batch][lane] if there are more

  /// The weight of a term, conjugated if `conjugate`: sum w exp(-i a) is the conjugate of sum conj(w) exp(i a). Zero if
  /// there is no such term or coil.
  __device__ Complex2<Real> weight(int coil, int term) const {
    if (term >= terms.count || coil >= batch) return {};
    const Complex2<Real> w = weights[Index{coil} * terms.count + term];
    return {w.x, conjugate ? -w.y : w.y};
  }

  __device__ void write(int coil, int lane, double2 total) const {
    if (lane >= lanes.count || coil >= batch) return;
    if (conjugate) total.y = -total.y;
    const Index at = Index{coil} * lanes.count + lane;
    if (gridDim.y == 1) {
      sums[at] = {static_cast<Real>(total.x), static_cast<Real>(total.y)};
    } else {
      partial[Index{blockIdx.y} * batch * lanes.count + at] = total;
    }
  }
};

}  // namespace whorl::backend::cuda
