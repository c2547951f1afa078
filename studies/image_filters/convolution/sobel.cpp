// The ladder of Sobel's slope along x, which the report's program computes as a window, negative slopes cut to 0.
#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

namespace {

Window sobel_window() { return {.radius = 1, .weights = {-1, 0, 1, -2, 0, 2, -1, 0, 1}}; }

}  // namespace

Subject sobel_ladder() {
  return {.name = "sobel",
          .title = "Sobel along x, 3 x 3",
          .pipeline = "sobel-x border=wrap",
          .library = "sobel-x",
          .published = {},
          .error = "largest error, levels",
          // Half a level by rounding. Sums of float products have no error for integers.
          .tolerance = 0.501,
          .flops = 2 * sobel_window().work(),
          .steps = [](const Context& ctx, const Job& /*job*/) { return convolution_on(ctx, sobel_window()); },
          .check =
              [](const Context& host, const Job& job, const ImageFormat& result) {
                return largest_difference(host, result, exact_convolution(job, sobel_window()));
              }};
}

}  // namespace whorl::studies::image_filters
