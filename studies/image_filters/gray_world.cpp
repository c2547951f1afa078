// The ladder of gray world.
#include "studies/image_filters/gray_world.hpp"

#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

Subject gray_world_ladder() {
  return {.name = "gray_world",
          .title = "Gray world",
          .pipeline = "gray-world",
          .library = "gray-world",
          .published = said("minimal"),
          .error = "largest error, levels",
          // A quotient that is a whole number may come out a rounding below it, and lose a level when it is cut.
          .tolerance = 1,
          .flops = 9,  // a sum, a product, a quotient for each channel
          .steps =
              [](const Context& ctx, const Job& /*job*/) {
                return ctx.device().kind == DeviceKind::cuda ? gray_world_on_gpu() : gray_world_on_host();
              },
          .check =
              [](const Context& host, const Job& job, const ImageFormat& result) {
                const ChannelSums sums = channel_sums(host, job);
                return largest_difference(host, result, [job, sums](int y, int x, int channel) -> double {
                  const Byte v = job.from[3 * (Index{y} * job.width + x) + channel];
                  return balanced_level(v, sums[static_cast<std::size_t>(channel)], sums[0] + sums[1] + sums[2],
                                        static_cast<std::uint64_t>(pixels_of(job)));
                });
              }};
}

}  // namespace whorl::studies::image_filters
