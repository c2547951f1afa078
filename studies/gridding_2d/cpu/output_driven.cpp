// Each point of the grid collects its samples: nothing is written twice, and no two threads write to the same point.
//
// A point does not know its samples in advance. It has to test all of them, and of 5000 samples on 512 x 512 points
// only one in 4096 is in reach.
#include <algorithm>
#include <cmath>

#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/window.hpp"

namespace whorl::studies::gridding_2d {

namespace {

constexpr float half = width / 2.0F;

/// From a sample to the nearest of the point's images on the periodic axis.
float offset(float point, float place, float extent) {
  float d = point - place;
  if (d < -extent / 2) d += extent;
  if (d >= extent / 2) d -= extent;
  return d;
}

bool within_reach(float d) { return d >= -half && d < half; }

}  // namespace

void search_on_host(const Problem& problem, Index points, int threads, ArrayRef<float> grid) {
  const Extents extents = problem.grid;
  const auto extent_y = static_cast<float>(extents.y);
  const auto extent_x = static_cast<float>(extents.x);
  float* const real = grid.data();
  float* const imag = real + extents.points();
  const float* const table = problem.table.data();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index point = 0; point < points; ++point) {
    const Index row = point / extents.x;
    const auto y = static_cast<float>(row);
    const auto x = static_cast<float>(point - row * extents.x);
    float sum_real = 0;
    float sum_imag = 0;
    for (const Sample& sample : problem.samples.span()) {
      const float dy = offset(y, sample.y, extent_y);
      const float dx = offset(x, sample.x, extent_x);
      if (!within_reach(dy) || !within_reach(dx)) continue;
      const float w = table[entry_at(std::sqrt(dx * dx + dy * dy))];
      sum_real += w * sample.real;
      sum_imag += w * sample.imag;
    }
    real[point] = sum_real;
    imag[point] = sum_imag;
  }
}

Index searched_points(const Problem& problem) {
  constexpr Index most_terms = Index{1} << 26;
  constexpr Index least = 64;
  return std::clamp<Index>(most_terms / problem.samples.size(), least, problem.grid.points());
}

}  // namespace whorl::studies::gridding_2d
