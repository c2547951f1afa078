// A strip of columns of a product of complex matrices by SIMD: the loops of matrix_products.cpp.
#pragma once

#include <complex>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// Bytes of a strip's row: two of the longest vectors.
inline constexpr Index strip_bytes = 128;

/// Columns of a strip.
template <class Real>
inline constexpr Index strip_columns = strip_bytes / static_cast<Index>(sizeof(std::complex<Real>));

/// c[i, j] = sum_k a[i, k] b[k, j] for `rows` rows of a strip. a is [rows, depth]; b is [depth, strip_columns], aligned to
/// 64 bytes; c is [rows, strip_columns] with `c_row` elements from row to row, of which the first `columns` columns are
/// written.
void multiply_strip(Index rows, Index depth, const std::complex<float>* a, const std::complex<float>* b, Index columns,
                    std::complex<float>* c, Index c_row);
void multiply_strip(Index rows, Index depth, const std::complex<double>* a, const std::complex<double>* b,
                    Index columns, std::complex<double>* c, Index c_row);

}  // namespace whorl::backend::cpu
