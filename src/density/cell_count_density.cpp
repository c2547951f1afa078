#include "whorl/density/cell_count_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "density/image_extents.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/option_tables.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

// Cells along an axis on each side of the center, at most: three axes of numbers below 2^20 fit an Index.
constexpr double most_cells = 1 << 19;

std::vector<Index> numbers_of_cells(ArrayRef<const double> points, const Shape& image_shape, double cell) {
  const auto extents = detail::image_extents("cell counting", points, image_shape);
  const auto k = points.view<2>();
  std::vector<Index> numbers(static_cast<std::size_t>(k.extent(0)));
  for (Index axis = 0; axis < k.extent(1); ++axis) {
    const double per_cell = static_cast<double>(extents[static_cast<std::size_t>(axis)]) / cell;
    if (!(per_cell < most_cells)) {
      throw ValueError(fmt::format("cell counting: {} cells along {}, expected fewer than {}; choose a larger cell",
                                   per_cell, "xyz"[axis], most_cells));
    }
    const auto center = static_cast<Index>(most_cells);
    for (Index sample = 0; sample < k.extent(0); ++sample) {
      const auto i = static_cast<Index>(std::floor(k(sample, axis) * per_cell + 0.5));
      Index& number = numbers[static_cast<std::size_t>(sample)];
      number = number * 2 * center + i + center;
    }
  }
  return numbers;
}

}  // namespace

template <Precision Real>
Array<Real> cell_count_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                               const CellCountOptions& options) {
  check_trajectory(points);
  check_options(options);
  const std::vector<Index> numbers = numbers_of_cells(points, image_shape, options.cell);
  std::vector<Index> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  Array<Real> weights(ctx, {points.extent(0)});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), numbers[i]);
    weights.span()[i] = static_cast<Real>(1 / static_cast<double>(last - first));
  }
  normalize_weights<Real>(weights);
  return weights;
}

template Array<float> cell_count_density(const Context&, ArrayRef<const double>, const Shape&, const CellCountOptions&);
template Array<double> cell_count_density(const Context&, ArrayRef<const double>, const Shape&,
                                          const CellCountOptions&);

}  // namespace whorl
