#include "op/nufft_design.hpp"

#include <cmath>
#include <utility>
#include <vector>

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

// Nanoseconds of one thread for one coil, as measured on a processor with vectors of 32 bytes (docs/performance.md):
// a sample costs a fixed part for fetching it and half a nanosecond for each vector of the window's lines, a grid point
// its part in the transforms, which in 3D is that of the memory.
double predicted_cost(const Window& window, const Shape& grid, Index samples) {
  const int width = window.width();
  const double vectors = std::pow(width, grid.rank() - 1) * std::ceil(width / 4.0);
  const double per_point = grid.rank() == 2 ? 5 : 10;
  return static_cast<double>(samples) * (6 + 0.5 * vectors) + static_cast<double>(grid.size()) * per_point;
}

}  // namespace

NufftDesign design_nufft(const Shape& image, Index samples, const NufftOptions& options, double epsilon) {
  const auto design = [&](double oversampling) {
    return NufftDesign{choose_window(options.window, oversampling, options.tolerance, image, epsilon),
                       oversampled_grid(image, oversampling)};
  };
  if (options.oversampling != 0) return design(options.oversampling);
  // The largest oversampling reaches the smallest error: where it fails, its message is the one to hear.
  NufftDesign best = design(2.0);
  double best_cost = predicted_cost(best.window, best.grid, samples);
  for (const double oversampling : {1.875, 1.75, 1.625, 1.5, 1.375, 1.25}) {
    try {
      NufftDesign candidate = design(oversampling);
      const double cost = predicted_cost(candidate.window, candidate.grid, samples);
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

bool toeplitz_is_faster(const NufftDesign& design, const Shape& toeplitz_grid, Index samples) {
  // Of these 5.5 are for an application, most of whose grid is never in memory, and 1 for a thirtieth of the planning:
  // iterations are some thirty.
  constexpr double per_point = 6.5;
  const double pair = 2 * predicted_cost(design.window, design.grid, samples);
  return per_point * static_cast<double>(toeplitz_grid.size()) < pair;
}

}  // namespace whorl
