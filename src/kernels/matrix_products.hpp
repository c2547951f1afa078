// Kernel family: products of many small complex matrices.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Extents of the products C_i = A_i B_i, i < batch. Matrices are row-major: A [rows, depth], B [depth, columns],
/// C [rows, columns]. The products of a batch may share A or B.
struct MatrixProducts {
  Index batch;
  Index rows;
  Index depth;
  Index columns;
  bool one_a = false;  ///< one A for all; otherwise they lie one after another
  bool one_b = false;
};

template <class Real>
inline Kernel<void(const Context&, const MatrixProducts&, const std::complex<Real>* a, const std::complex<Real>* b,
                   std::complex<Real>* c)>
    matrix_products{"matrix products"};

}  // namespace whorl::kernels
