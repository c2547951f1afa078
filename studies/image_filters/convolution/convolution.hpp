// Correlation with a square window, the kind of most filters of the report.
#pragma once

#include <vector>

#include "studies/image_filters/check.hpp"
#include "studies/image_filters/job.hpp"

namespace whorl::studies::image_filters {

struct Window {
  int radius = 0;
  std::vector<double> weights{};  ///< [2 radius + 1, 2 radius + 1]
  std::vector<double> line{};     ///< [2 radius + 1] where the window is line times line

  int extent() const { return 2 * radius + 1; }
  /// Multiply-adds of a pixel.
  double work() const { return 3.0 * extent() * extent(); }
};

/// The versions for a CPU: pixel by pixel in double and in float, on a padded picture, a row of pixels at a time.
std::vector<Step> convolution_on_host(const Window& window);
/// The versions for a GPU, a thread for each pixel: double, float, padded, weights in constant memory, a tile in shared
/// memory. None where whorl is built without.
std::vector<Step> convolution_on_gpu(const Context& ctx, const Window& window);
std::vector<Step> convolution_on(const Context& ctx, const Window& window);

/// Rows first and then columns, for windows with a line.
Step separable_on_host(const Window& window);
Step separable_on_gpu(const Context& ctx, const Window& window);

/// The sums in double precision, of a picture on the host.
Exact exact_convolution(const Job& job, const Window& window);

}  // namespace whorl::studies::image_filters
