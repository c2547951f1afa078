// Adds the sums that several blocks have made of parts of the terms.
#pragma once

#include "backend/cuda/device/complex.cuh"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

/// sums [row] [i] = scale * sum over parts of partial [part][row][i], in the order of the
/// parts, so that the result is the same each time. A row has `padded` numbers in the parts, of which `length` count,
/// and `stride` in the result.
template <class Part, class Real>
__global__ void add_parts(const Part* __restrict__ partial, int parts, Index rows, Index padded, Index length,
                          Index stride, double scale, Complex2<Real>* sums) {
  const Index step = Index{gridDim.x} * blockDim.x;
  for (Index at = Index{blockIdx.x} * blockDim.x + threadIdx.x; at < rows * length; at += step) {
    const Index row = at / length;
    const Index i = at % length;
    double2 total{};
    for (int p = 0; p < parts; ++p) {
      const Part part = partial[(p * rows + row) * padded + i];
      total.x += part.x;
      total.y += part.y;
    }
    sums[row * stride + i] = {static_cast<Real>(scale * total.x), static_cast<Real>(scale * total.y)};
  }
}

}  // namespace whorl::backend::cuda
