#include "whorl/density/pipe_menon.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "density/density_memory.hpp"
#include "density/image_extents.hpp"
#include "kernels/density.hpp"
#include "kernels/nufft_cost.hpp"
#include "op/encoding_shapes.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/option_tables.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

constexpr int width = 4;       // of the window
constexpr double pull = 1e-3;  // towards the areas

// The grid of the doubled image with a margin, so that k = 1/2 and k = -1/2 are not neighbors. The window's convolution
// with itself reaches `width` cells.
Shape grid_of(const Shape& image) {
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(2 * (n + width));
  return Shape(extents);
}

// From cycles per pixel to cycles per cell of that grid, x first. Its cells are 1/(2 FOV) wide, as those of the doubled
// image.
std::array<double, 3> scale_to_grid(const Shape& image) {
  std::array<double, 3> scale = {1, 1, 1};
  for (int axis = 0; axis < image.rank(); ++axis) {
    const auto n = static_cast<double>(image[image.rank() - 1 - axis]);
    scale[static_cast<std::size_t>(axis)] = n / (n + width);
  }
  return scale;
}

// The positions there.
Array<double> positions_on_grid(const Context& ctx, ArrayRef<const double> points, const Shape& image) {
  Array<double> positions(ctx.host(), points.shape());
  const auto from = points.view<2>();
  const auto to = positions.view<2>();
  for (Index axis = 0; axis < points.extent(1); ++axis) {
    const auto n = static_cast<double>(image[image.rank() - 1 - static_cast<int>(axis)]);
    for (Index j = 0; j < points.extent(0); ++j) to(j, axis) = from(j, axis) * n / (n + width);
  }
  return positions;
}

}  // namespace

template <class Real>
Index detail::pipe_menon_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                bool grid_elsewhere) {
  const Shape grid = grid_of(image_shape);
  const Index samples = points.extent(0);
  const auto real_bytes = static_cast<Index>(sizeof(Real));
  const kernels::GriddingMemory gridding = kernels::gridding_memory(
      ctx, {points, scale_to_grid(image_shape)}, kernels::dense_layout(padded_to_3d(grid)), width, real_bytes, 1);
  // Complex: the weights, and the weights after the window. Real: the weights of the step before, the areas, and the
  // weights. The positions on the grid are there while the plan is made.
  const Index iterating = std::max(gridding.spread, gridding.interpolate) +
                          ((grid_elsewhere ? 0 : 2 * grid.size()) + 7 * samples) * real_bytes;
  const Index positions = points.size() * static_cast<Index>(sizeof(double));
  return gridding.plan + std::max(positions + gridding.planning, iterating);
}

Index detail::pipe_menon_grid_bytes(const Shape& image_shape) {
  return grid_of(image_shape).size() * static_cast<Index>(sizeof(std::complex<float>));
}

template Index detail::pipe_menon_memory<float>(const Context&, ArrayRef<const double>, const Shape&, bool);
template Index detail::pipe_menon_memory<double>(const Context&, ArrayRef<const double>, const Shape&, bool);

template <Precision Real>
PipeMenonResult<Real> pipe_menon_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                         const PipeMenonOptions& options) {
  return detail::pipe_menon_with<Real>(ctx, points, image_shape, options,
                                       [&](const Shape& grid) { return Array<std::complex<Real>>(ctx, grid); });
}

template <class Real>
PipeMenonResult<Real> detail::pipe_menon_with(const Context& ctx, ArrayRef<const double> points,
                                              const Shape& image_shape, const PipeMenonOptions& options,
                                              const MakeGrid<Real>& make_grid) {
  using Complex = std::complex<Real>;
  check_options(options);
  check_trajectory(points);
  detail::image_extents("pipe-menon", points, image_shape);
  const Gridding<Real> gridding(ctx, positions_on_grid(ctx, points, image_shape), grid_of(image_shape),
                                Window(WindowKind::kaiser_bessel, width, 2));
  const Index samples = points.extent(0);
  Array<Complex> weights(ctx, {1, samples});
  Array<Complex> convolved(ctx, {1, samples});
  Array<Complex> grid = make_grid(gridding.domain());
  Array<Real> previous(ctx, {samples});
  Array<Real> areas(ctx, {samples});
  fill<Complex>(ctx, weights, 1);
  fill<Real>(ctx, previous, 1);

  PipeMenonResult<Real> result;
  result.deviation = std::numeric_limits<double>::max();
  ProgressStage stage(ctx, "density compensation", options.iterations);
  int run = 0;  // steps with growing momentum
  while (!result.converged && result.iterations < options.iterations) {
    gridding.adjoint(ctx, weights, grid);
    gridding.forward(ctx, grid, convolved);
    // The first steps change the weights by orders of magnitude, and momentum would carry them too far.
    const bool has_areas = result.iterations > 0;
    const kernels::PipeMenonStep step{run < 2 ? 0 : (run - 1.0) / (run + 2.0), has_areas ? pull : 0};
    // C w is positive: the window is, and every sample sees at least itself.
    const kernels::PipeMenonSums sums = kernels::pipe_menon_step<Real>(ctx, samples, step, convolved.data(),
                                                                       areas.data(), previous.data(), weights.data());
    if (!has_areas) copy<Real>(ctx, previous, areas);
    const double deviation = std::sqrt(sums.deviation / sums.total);
    run = deviation < result.deviation ? run + 1 : 0;
    result.deviation = deviation;
    result.converged = deviation <= options.tolerance;
    ++result.iterations;
    stage.advance();
  }
  result.weights = std::move(previous);  // without the last step's momentum
  normalize_weights<Real>(ctx, result.weights);
  return result;
}

template PipeMenonResult<float> detail::pipe_menon_with(const Context&, ArrayRef<const double>, const Shape&,
                                                        const PipeMenonOptions&, const MakeGrid<float>&);
template PipeMenonResult<double> detail::pipe_menon_with(const Context&, ArrayRef<const double>, const Shape&,
                                                         const PipeMenonOptions&, const MakeGrid<double>&);
template PipeMenonResult<float> pipe_menon_density(const Context&, ArrayRef<const double>, const Shape&,
                                                   const PipeMenonOptions&);
template PipeMenonResult<double> pipe_menon_density(const Context&, ArrayRef<const double>, const Shape&,
                                                    const PipeMenonOptions&);

}  // namespace whorl
