#include "whorl/density/pipe_menon.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <vector>

#include "density/density_memory.hpp"
#include "kernels/density.hpp"
#include "kernels/nufft_cost.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/op/gridding.hpp"

namespace whorl {

namespace {

Shape doubled(const Shape& image) {
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(2 * n);
  return Shape(extents);
}

constexpr int width = 4;  // of the window

}  // namespace

template <class Real>
Index detail::pipe_menon_memory(const Context& ctx, Index samples, const Shape& image_shape) {
  const Shape grid = doubled(image_shape);
  const auto real_bytes = static_cast<Index>(sizeof(Real));
  const kernels::GriddingMemory gridding =
      kernels::gridding_memory(ctx, {grid.rank(), width, grid.size(), samples}, real_bytes, 1);
  // Weights and what they become under the window as complex numbers, and the weights once more as real ones.
  return gridding.plan + gridding.work + (2 * grid.size() + 5 * samples) * real_bytes;
}

template Index detail::pipe_menon_memory<float>(const Context&, Index, const Shape&);
template Index detail::pipe_menon_memory<double>(const Context&, Index, const Shape&);

template <class Real>
PipeMenonResult<Real> pipe_menon_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                         const PipeMenonOptions& options) {
  using Complex = std::complex<Real>;
  if (options.iterations < 1 || !(options.tolerance >= 0)) {
    throw ValueError(fmt::format(
        "pipe-menon: {} iterations, tolerance {}; expected at least one iteration and a tolerance of 0 or more",
        options.iterations, options.tolerance));
  }
  const Gridding<Real> gridding(ctx, points, doubled(image_shape), Window(WindowKind::kaiser_bessel, width, 2));
  const Index samples = points.extent(0);
  Array<Complex> weights(ctx, {1, samples});
  Array<Complex> convolved(ctx, {1, samples});
  Array<Complex> grid(ctx, gridding.domain());
  fill<Complex>(ctx, weights, 1);

  PipeMenonResult<Real> result;
  ProgressStage stage(ctx, "density compensation", options.iterations);
  for (bool converged = false; !converged && result.iterations < options.iterations; ++result.iterations) {
    gridding.adjoint(ctx, weights, grid);
    gridding.forward(ctx, grid, convolved);
    // C w is positive: the window is, and every sample sees at least itself.
    const kernels::PipeMenonSums sums = kernels::pipe_menon_step<Real>(ctx, samples, convolved.data(), weights.data());
    result.deviation = std::sqrt(sums.deviation / sums.total);
    converged = sums.change <= options.tolerance * sums.total;
    stage.advance();
  }
  result.weights = Array<Real>(ctx, {samples});
  kernels::real_part<Real>(ctx, samples, weights.data(), result.weights.data());
  normalize_weights<Real>(ctx, result.weights);
  return result;
}

template PipeMenonResult<float> pipe_menon_density(const Context&, ArrayRef<const double>, const Shape&,
                                                   const PipeMenonOptions&);
template PipeMenonResult<double> pipe_menon_density(const Context&, ArrayRef<const double>, const Shape&,
                                                    const PipeMenonOptions&);

}  // namespace whorl
