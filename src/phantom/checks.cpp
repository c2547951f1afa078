#include "phantom/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::detail {
namespace {

constexpr double largest_k = 1e6;  // where phases still have digits

template <std::size_t Count>
bool all_finite(const std::array<double, Count>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

bool is_good(const Solid& solid) {
  return all_finite(solid.center) && all_finite(solid.half_axes) && std::isfinite(solid.angle) &&
         std::all_of(solid.half_axes.begin(), solid.half_axes.end(), [](double axis) { return axis > 0; });
}

bool is_good(const Contour& contour) {
  return contour.points.size() >= 3 && all_finite(std::array{contour.center_z, contour.half_length}) &&
         contour.half_length > 0 && std::all_of(contour.points.begin(), contour.points.end(), all_finite<2>);
}

bool is_good(const Tissue& tissue) {
  return all_finite(std::array{tissue.intensity, tissue.r2_star, tissue.off_resonance});
}

}  // namespace

int matrix_dim(const std::array<Index, 3>& matrix) {
  for (const Index extent : matrix) {
    if (extent < 1) {
      throw ValueError(fmt::format("phantom: expected a matrix of positive extents x, y, z, got {} x {} x {}",
                                   matrix[0], matrix[1], matrix[2]));
    }
  }
  return matrix[2] > 1 ? 3 : 2;
}

Shape matrix_shape(const std::array<Index, 3>& matrix) {
  return matrix_dim(matrix) == 3 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
}

void check_dim(int dim, const char* phantom) {
  if (dim != 2 && dim != 3) throw ValueError(fmt::format("{} phantom: expected dim 2 or 3, got {}", phantom, dim));
}

void check_phantom(const Phantom& phantom, const std::array<Index, 3>& matrix) {
  if (phantom.dim != matrix_dim(matrix)) {
    throw ValueError(
        fmt::format("phantom: '{}' has {} dimensions, but the matrix is {} x {} x {}; make the phantom for "
                    "that many",
                    phantom.name, phantom.dim, matrix[0], matrix[1], matrix[2]));
  }
  for (std::size_t number = 0; number < phantom.regions.size(); ++number) {
    const Region& region = phantom.regions[number];
    if (!is_good(region.added) || !std::visit([](const auto& figure) { return is_good(figure); }, region.figure)) {
      throw ValueError(
          fmt::format("phantom: region {} of '{}' needs finite values, positive lengths and, for a contour, "
                      "3 points or more",
                      number, phantom.name));
    }
  }
}

void check_points(ArrayRef<const double> points, int dim) {
  if (points.rank() != 2 || points.extent(1) != dim) {
    throw ShapeError(fmt::format("phantom: expected points of shape [sample, {}] for this matrix, got {}", dim,
                                 to_string(points.shape())));
  }
  for (const double value : points.span()) {
    if (!(std::abs(value) <= largest_k)) {
      throw ValueError(
          fmt::format("phantom: a k-space position is {}; expected at most {:g} cycles per pixel", value, largest_k));
    }
  }
}

}  // namespace whorl::detail
