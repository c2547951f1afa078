// The ladder of the median of 7 x 7 pixels.
#include "studies/image_filters/median/median.hpp"

#include <algorithm>
#include <array>

#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

Exact exact_median(const Job& job) {
  return [job](int y, int x, int channel) {
    std::array<Byte, median_taps> window{};
    auto next = window.begin();
    for (int j = -median_radius; j <= median_radius; ++j) {
      for (int i = -median_radius; i <= median_radius; ++i) {
        const Index at = Index{wrapped(y + j, job.height)} * job.width + wrapped(x + i, job.width);
        *next++ = job.from[3 * at + channel];
      }
    }
    std::sort(window.begin(), window.end());
    return static_cast<double>(window[median_place]);
  };
}

Subject median_ladder() {
  return {.name = "median",
          .title = "Median of 7 x 7 pixels",
          .pipeline = "median 3 border=wrap",
          .library = "median",
          .error = "largest error, levels",
          .tolerance = 0,
          // As many comparisons as a sort takes: n log2 n of each color.
          .flops = 3 * median_taps * 5.6,
          .steps =
              [](const Context& ctx, const Job& /*job*/) {
                return ctx.device().kind == DeviceKind::cuda ? median_on_gpu() : median_on_host();
              },
          .check = [](const Context& host, const Job& job,
                      const ImageFormat& result) { return largest_difference(host, result, exact_median(job)); }};
}

}  // namespace whorl::studies::image_filters
