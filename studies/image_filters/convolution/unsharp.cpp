// The ladder of unsharp, the 3 x 3 window of the report's profile.
#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

namespace {

Window unsharp_window() {
  return {.radius = 1, .weights = {-1. / 6, -4. / 6, -1. / 6, -4. / 6, 26. / 6, -4. / 6, -1. / 6, -4. / 6, -1. / 6}};
}

}  // namespace

Subject unsharp_ladder() {
  return {.name = "unsharp",
          .title = "Unsharp, 3 x 3",
          .pipeline = "unsharp border=wrap",
          .library = "unsharp",
          .published = said("0.458 s on a CPU, profiled"),
          .error = "largest error, levels",
          // Half a level by rounding, plus the error of sums of float products: 10 roundings of numbers up to 255 *
          // 46 / 6.
          .tolerance = 0.501,
          .flops = 2 * unsharp_window().work(),
          .steps = [](const Context& ctx, const Job& /*job*/) { return convolution_on(ctx, unsharp_window()); },
          .check =
              [](const Context& host, const Job& job, const ImageFormat& result) {
                return largest_difference(host, result, exact_convolution(job, unsharp_window()));
              }};
}

}  // namespace whorl::studies::image_filters
