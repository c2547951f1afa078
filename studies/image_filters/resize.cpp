// The ladder of bilinear resizing, to 1.5 times the size.
#include "studies/image_filters/resize.hpp"

#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

namespace {

Exact exact_resize(const Job& job, const ImageFormat& result) {
  const auto to_height = static_cast<int>(result.height);
  const auto to_width = static_cast<int>(result.width);
  return [job, to_height, to_width](int y, int x, int channel) {
    const Place<double> v = place_of<double>(y, job.height, to_height);
    const Place<double> u = place_of<double>(x, job.width, to_width);
    const auto level = [&](int j, int i) -> double {
      return job.from[3 * (Index{v.index + j} * job.width + u.index + i) + channel];
    };
    const double upper = level(0, 0) + u.part * (level(0, 1) - level(0, 0));
    const double lower = level(1, 0) + u.part * (level(1, 1) - level(1, 0));
    return upper + v.part * (lower - upper);
  };
}

}  // namespace

Subject resize_ladder() {
  return {
      .name = "resize",
      .title = "Bilinear resizing by 1.5",
      .pipeline = "resize 1.5",
      .library = "resize",
      .published = said("none; shared memory 2.5 x slower"),
      .error = "largest error, levels",
      // Half a level by rounding; the library is off by 0.05 before it. A place of 1218 columns in float is off by
      // 2^-23 of it, 1.5e-4 of a pixel, twice, at 255 levels a pixel: 0.08.
      .tolerance = 0.58,
      .flops = 34,  // 4 products and 3 sums a color, and about 13 for the weights
      .steps =
          [](const Context& ctx, const Job& /*job*/) {
            return ctx.device().kind == DeviceKind::cuda ? resize_on_gpu() : resize_on_host();
          },
      .check = [](const Context& host, const Job& job,
                  const ImageFormat& result) { return largest_difference(host, result, exact_resize(job, result)); }};
}

}  // namespace whorl::studies::image_filters
