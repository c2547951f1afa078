// The ladder of a general window: neither symmetric nor a product of a row and a column.
#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

namespace {

std::vector<double> divided(std::vector<double> weights, double divisor) {
  for (double& weight : weights) weight /= divisor;
  return weights;
}

Window custom_window() {
  return {.radius = 2,
          .weights = divided({1, 2, 0, -1, 3, 4, 5, -2, 0, 1, 2, 0, 6, 1, -3, 1, -1, 2, 4, 0, 3, 1, 0, -2, 5}, 32)};
}

}  // namespace

Subject custom_ladder() {
  return {.name = "custom",
          .title = "Custom window, 5 x 5",
          .pipeline = "custom '1,2,0,-1,3;4,5,-2,0,1;2,0,6,1,-3;1,-1,2,4,0;3,1,0,-2,5' divisor=32 border=wrap",
          .library = "custom",
          .published = "0.218 s each on a CPU, profiled (3 x 3)",
          .error = "largest error, levels",
          // Half a level by rounding. Sums of float products have no error for multiples of 1/32.
          .tolerance = 0.501,
          .flops = 2 * custom_window().work(),
          .steps = [](const Context& ctx, const Job& /*job*/) { return convolution_on(ctx, custom_window()); },
          .check =
              [](const Context& host, const Job& job, const ImageFormat& result) {
                return largest_difference(host, result, exact_convolution(job, custom_window()));
              }};
}

}  // namespace whorl::studies::image_filters
