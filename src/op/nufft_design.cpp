#include "op/nufft_design.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "kernels/nufft_cost.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

Shape oversampled_grid(const Shape& image, double oversampling) {
  std::vector<Index> extents;
  for (const Index n : image) {
    // A hair below the product: 1.25 * 96 must not become 122 by rounding.
    extents.push_back(next_fast_even(static_cast<Index>(std::ceil(oversampling * static_cast<double>(n) - 1e-9))));
  }
  return Shape(extents);
}

double cost_of(const Context& ctx, const NufftDesign& design, Index samples) {
  return kernels::nufft_cost(ctx, {design.grid.rank(), design.window.width(), design.grid.size(), samples});
}

}  // namespace

NufftDesign design_nufft(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                         double epsilon) {
  const auto design = [&](double oversampling) {
    return NufftDesign{choose_window(options.window, oversampling, options.tolerance, image, epsilon),
                       oversampled_grid(image, oversampling)};
  };
  if (options.oversampling != 0) return design(options.oversampling);
  // The largest oversampling reaches the smallest error: where it fails, its message is the one to hear.
  NufftDesign best = design(2.0);
  double best_cost = cost_of(ctx, best, samples);
  for (const double oversampling : {1.875, 1.75, 1.625, 1.5, 1.375, 1.25}) {
    try {
      NufftDesign candidate = design(oversampling);
      const double cost = cost_of(ctx, candidate, samples);
      if (cost < best_cost) {
        best_cost = cost;
        best = std::move(candidate);
      }
    } catch (const ValueError&) {
      break;  // a smaller oversampling does no better
    }
  }
  return best;
}

bool toeplitz_is_faster(const Context& ctx, const NufftDesign& design, const Shape& toeplitz_grid, Index samples) {
  return kernels::convolution_cost(ctx, design.grid.rank(), toeplitz_grid.size()) < 2 * cost_of(ctx, design, samples);
}

}  // namespace whorl
