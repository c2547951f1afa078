// Kernel: products of tall real matrices.
#pragma once

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// C = A^T B, or C += A^T B: products of each column of A with each of B. Matrices are column-major; a stride is from one column to
/// the next.
struct ColumnProducts {
  Index rows = 0;       ///< of A and B
  Index a_columns = 0;  ///< rows of C
  Index b_columns = 0;  ///< columns of C
  Index a_stride = 0;
  Index b_stride = 0;
  Index c_stride = 0;
  bool adds = false;
};

/// Device    a CPU alone; callers work in parallel themselves
inline Kernel<void(DeviceKind, const ColumnProducts&, const double* a, const double* b, double* c)> column_products{
    "products of columns"};

}  // namespace whorl::kernels
