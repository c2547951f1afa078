#include "whorl/density/density_quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "density/convex_hull.hpp"
#include "density/image_extents.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

struct Range {
  Index first;
  Index last;  // beyond the end: empty where last < first
};

// The grid points along x, at y and z, whose whole window lies in the hull. Positions and half-spaces are in grid
// steps.
Range row_in_support(const std::vector<detail::HullPlane>& planes, Index y, Index z, Index extent) {
  double low = -static_cast<double>(extent) / 2;
  double high = static_cast<double>(extent - 1) / 2;
  for (const detail::HullPlane& plane : planes) {
    const double rest =
        plane.offset - plane.normal[1] * static_cast<double>(y) - plane.normal[2] * static_cast<double>(z);
    const double slope = plane.normal[0];
    if (slope > 0) high = std::min(high, rest / slope);
    if (slope < 0) low = std::max(low, rest / slope);
    if (slope == 0 && rest < 0) return {0, -1};
  }
  constexpr double rounding = 1e-9;
  return {static_cast<Index>(std::ceil(low - rounding)), static_cast<Index>(std::floor(high + rounding))};
}

// Half-spaces in grid steps, moved inwards by the reach of the window's box.
std::vector<detail::HullPlane> support_planes(ArrayRef<const double> points, const std::array<Index, 3>& extents) {
  auto planes = detail::convex_hull("flatness of the grid", points.span(), static_cast<int>(points.extent(1)));
  for (detail::HullPlane& plane : planes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      plane.normal[axis] /= static_cast<double>(extents[axis]);
      plane.offset -= flatness_reach * std::abs(plane.normal[axis]);
    }
  }
  return planes;
}

// Index of k = i / extent on a periodic grid.
Index wrapped(Index i, Index extent) { return i < 0 ? i + extent : i; }

template <class Real>
GridFlatness measure(const Context& ctx, const View<const std::complex<Real>, 3>& grid,
                     const std::vector<detail::HullPlane>& planes) {
  const Index nz = grid.extent(0);
  const Index ny = grid.extent(1);
  const Index nx = grid.extent(2);
  double sum = 0;
  double squares = 0;
  double least = std::numeric_limits<double>::max();
  double most = 0;
  Index count = 0;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static) reduction(+ : sum, squares, count) reduction(min : least) reduction(max : most)
  for (Index z = -(nz / 2); z < nz - nz / 2; ++z) {
    for (Index y = -(ny / 2); y < ny - ny / 2; ++y) {
      const Range row = row_in_support(planes, y, z, nx);
      for (Index x = row.first; x <= row.last; ++x, ++count) {
        const double value = grid(wrapped(z, nz), wrapped(y, ny), wrapped(x, nx)).real();
        sum += value;
        squares += value * value;
        least = std::min(least, value);
        most = std::max(most, value);
      }
    }
  }
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (count == 0 || !(sum > 0)) return {none, none, none, count};
  const double mean = sum / static_cast<double>(count);
  const double variance = squares / static_cast<double>(count) - mean * mean;
  return {std::sqrt(std::max(variance, 0.0)) / mean, least / mean, most / mean, count};
}

}  // namespace

template <Precision Real>
GridFlatness grid_flatness(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Real> weights,
                           const Shape& image_shape) {
  check_trajectory(points);
  const auto extents = detail::image_extents("flatness of the grid", points, image_shape);
  const Index samples = points.extent(0);
  if (weights.shape() != Shape{samples}) {
    throw ShapeError(
        fmt::format("flatness of the grid: weights have shape {}, expected [{}]", to_string(weights.shape()), samples));
  }
  const auto planes = support_planes(points, extents);
  const Window window(WindowKind::kaiser_bessel, 2 * flatness_reach, 2);
  const Gridding<Real> gridding(ctx, points, image_shape, window);
  Array<std::complex<Real>> values(ctx, gridding.range());
  to_complex<Real>(ctx, OnDevice<Real>(ctx, weights).get().reshape(values.shape()), values);
  Array<std::complex<Real>> grid(ctx, gridding.domain());
  gridding.adjoint(ctx, values, grid);
  if (!(ctx.device() == Device{})) grid = to_host(ctx, grid.ref());
  const ArrayRef<const std::complex<Real>> result = grid.ref();
  return measure<Real>(ctx, result.reshape({extents[2], extents[1], extents[0]}).template view<3>(), planes);
}

double DensityQuality::side_lobe_db() const { return 20 * std::log10(response.side_lobe); }

template <Precision Real>
DensityQuality density_quality(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Real> weights,
                               const Shape& image_shape) {
  return {impulse_response<Real>(ctx, points, weights, image_shape),
          grid_flatness<Real>(ctx, points, weights, image_shape)};
}

template GridFlatness grid_flatness(const Context&, ArrayRef<const double>, ArrayRef<const float>, const Shape&);
template GridFlatness grid_flatness(const Context&, ArrayRef<const double>, ArrayRef<const double>, const Shape&);
template DensityQuality density_quality(const Context&, ArrayRef<const double>, ArrayRef<const float>, const Shape&);
template DensityQuality density_quality(const Context&, ArrayRef<const double>, ArrayRef<const double>, const Shape&);

}  // namespace whorl
