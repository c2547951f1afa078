// The ladders of windows that a user gives: a general one, neither symmetric nor a product of a row and a column, and the
// identity, which the report profiled.
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

Window identity_window() { return {.radius = 1, .weights = {0, 0, 0, 0, 1, 0, 0, 0, 0}}; }

}  // namespace

Subject identity_ladder() {
  return {.name = "identity",
          .title = "Identity window, 3 x 3",
          .pipeline = "custom '0,0,0;0,1,0;0,0,0' border=wrap",
          .library = "custom",
          .published = said("0.218 s each on a CPU, profiled"),
          .error = "largest error, levels",
          .tolerance = 0,
          .flops = 2 * identity_window().work(),
          .steps = [](const Context& ctx, const Job& /*job*/) { return convolution_on(ctx, identity_window()); },
          .check =
              [](const Context& host, const Job& job, const ImageFormat& result) {
                return largest_difference(host, result, exact_convolution(job, identity_window()));
              }};
}

Subject custom_ladder() {
  return {.name = "custom",
          .title = "Custom window, 5 x 5",
          .pipeline = "custom '1,2,0,-1,3;4,5,-2,0,1;2,0,6,1,-3;1,-1,2,4,0;3,1,0,-2,5' divisor=32 border=wrap",
          .library = "custom",
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
