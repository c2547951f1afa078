#include "filter/src/filters/windows/separable.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace whorl::filters {

namespace {

template <class T>
std::size_t largest_place(std::span<const T> weights) {
  const auto found =
      std::max_element(weights.begin(), weights.end(), [](T a, T b) { return std::abs(a) < std::abs(b); });
  return static_cast<std::size_t>(found - weights.begin());
}

}  // namespace

std::optional<ColumnAndRow<std::int32_t>> factors(std::span<const std::int32_t> weights, Index width) {
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t top = largest_place(weights);
  if (weights[top] == 0) return std::nullopt;
  // The primitive integer row: all other rows are multiples of it.
  const auto source = weights.subspan(top / columns * columns, columns);
  std::int32_t common = 0;
  for (const std::int32_t weight : source) common = std::gcd(common, weight);
  ColumnAndRow<std::int32_t> result;
  for (const std::int32_t weight : source) result.row.push_back(weight / common);
  const std::size_t pivot = top % columns;
  for (std::size_t at = 0; at < weights.size(); at += columns) {
    const std::int32_t factor = weights[at + pivot] / result.row[pivot];
    for (std::size_t x = 0; x < columns; ++x) {
      if (static_cast<std::int64_t>(factor) * result.row[x] != weights[at + x]) return std::nullopt;
    }
    result.column.push_back(factor);
  }
  return result;
}

std::optional<ColumnAndRow<float>> factors(std::span<const double> weights, Index width) {
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t top = largest_place(weights);
  if (weights[top] == 0) return std::nullopt;
  const auto source = weights.subspan(top / columns * columns, columns);
  const double allowed = 0x1p-26 * std::abs(weights[top]);
  ColumnAndRow<float> result;
  for (const double weight : source) result.row.push_back(static_cast<float>(weight));
  for (std::size_t at = 0; at < weights.size(); at += columns) {
    const double factor = weights[at + top % columns] / weights[top];
    for (std::size_t x = 0; x < columns; ++x) {
      if (std::abs(factor * source[x] - weights[at + x]) > allowed) return std::nullopt;
    }
    result.column.push_back(static_cast<float>(factor));
  }
  return result;
}

}  // namespace whorl::filters
