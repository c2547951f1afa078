// The ladder of autocontrast, with a hundredth of the pixels left out at each end.
#include "studies/image_filters/autocontrast.hpp"

#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

Subject autocontrast_ladder() {
  return {.name = "autocontrast",
          .title = "Autocontrast, fraction 0.01",
          .pipeline = "autocontrast 0.01",
          .library = "autocontrast",
          .published = said("minimal"),
          .error = "largest error, levels",
          // Numerators are below 2^16 and quotients are of integers, so float truncates them correctly.
          .tolerance = 0,
          .flops = 15,  // a difference, a product, a quotient for each channel, and luma
          .steps =
              [](const Context& ctx, const Job& /*job*/) {
                return ctx.device().kind == DeviceKind::cuda ? autocontrast_on_gpu() : autocontrast_on_host();
              },
          .check =
              [](const Context& host, const Job& job, const ImageFormat& result) {
                const LumaRange range = luma_range(host, job);
                return largest_difference(host, result, [job, range](int y, int x, int channel) -> double {
                  return stretched_level(job.from[3 * (Index{y} * job.width + x) + channel], range);
                });
              }};
}

}  // namespace whorl::studies::image_filters
