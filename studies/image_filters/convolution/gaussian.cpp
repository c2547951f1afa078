// The ladder of the Gaussian, as the report's profile ran it: sigma 5, a window of 31 x 31 pixels.
#include <cmath>

#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

namespace {

constexpr double sigma = 5;

Window gaussian_window() {
  Window window{.radius = 15};
  double sum = 0;
  for (int i = -window.radius; i <= window.radius; ++i) {
    window.line.push_back(std::exp(-i * i / (2 * sigma * sigma)));
    sum += window.line.back();
  }
  for (double& weight : window.line) weight /= sum;
  for (const double down : window.line) {
    for (const double across : window.line) window.weights.push_back(down * across);
  }
  return window;
}

std::vector<Step> steps(const Context& ctx, const Job& /*job*/) {
  std::vector<Step> steps = convolution_on(ctx, gaussian_window());
  steps.push_back(ctx.device().kind == DeviceKind::cuda ? separable_on_gpu(ctx, gaussian_window())
                                                        : separable_on_host(gaussian_window()));
  steps.front().published = said("45.8 s, small");
  return steps;
}

}  // namespace

Subject gaussian_ladder() {
  return {.name = "gaussian",
          .title = "Gaussian, sigma 5, radius 15",
          .pipeline = "gaussian 5 15 border=wrap",
          .library = "gaussian",
          .published = said("45.8 s on a CPU, profiled; 'dramatic'"),
          .error = "largest error, levels",
          // Half a level by rounding, and 961 roundings of sums up to 255 in float: 961 * 255 * 2^-24 = 0.015.
          .tolerance = 0.515,
          .flops = 2 * gaussian_window().work(),
          .steps = steps,
          .check = [](const Context& host, const Job& job, const ImageFormat& result) {
            return largest_difference(host, result, exact_convolution(job, gaussian_window()));
          }};
}

}  // namespace whorl::studies::image_filters
