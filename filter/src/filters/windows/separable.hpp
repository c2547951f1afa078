// Kernels that are the product of a column and a row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::filters {

template <class T>
struct ColumnAndRow {
  std::vector<T> column;
  std::vector<T> row;
};

/// column(y) * row(x) = weights(y, x), exactly; none if there are no such integers.
std::optional<ColumnAndRow<std::int32_t>> factors(std::span<const std::int32_t> weights, Index width);

/// column(y) * row(x) within 2^-26 of the largest weight; none if there are no such numbers.
std::optional<ColumnAndRow<float>> factors(std::span<const double> weights, Index width);

}  // namespace whorl::filters
