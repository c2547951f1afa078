// Laplacian: the sum of second differences.
#pragma once

#include "whorl/filter/windows/sobel.hpp"

namespace WHORL_PUBLIC whorl {

enum class LaplacianNeighbors { four, eight };

struct LaplacianOptions : SlopeOptions {
  LaplacianNeighbors neighbors = LaplacianNeighbors::four;
};

/// Correlation with {0 1 0; 1 -4 1; 0 1 0}, or {1 1 1; 1 -8 1; 1 1 1} for eight neighbors. Exact for integers; alpha
/// stays, other channels and slices as make_custom.
std::unique_ptr<Filter> make_laplacian(const LaplacianOptions& options);

}  // namespace whorl
