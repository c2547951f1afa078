#include "whorl/filter/points/gray_world.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/filters/points/statistics.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

// A channel with a mean below this is dark: no factor makes it bright.
constexpr double dark_mean = 0.05 / 255;

PointProgram balance(const ImageFormat& format, const std::vector<double>& sums, double pixels) {
  const double sum = (sums[0] + sums[1] + sums[2]) / 3;
  const double dark = dark_mean * full_scale(format.type) * pixels;
  PointProgram program(format);
  if (program.is_integer()) {
    program.map_channels([&](int channel, double v) {
      const double own = sums[static_cast<std::size_t>(channel)];
      return std::floor(own < dark ? v + sum / pixels : v * sum / own);
    });
    return program;
  }
  std::array<float, 4> scale{};
  std::array<float, 4> shift{};
  for (std::size_t c = 0; c < sums.size(); ++c) {
    scale[c] = sums[c] < dark ? 1 : static_cast<float>(sum / sums[c]);
    shift[c] = sums[c] < dark ? static_cast<float>(sum / pixels) : 0;
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  program.affine(scale, shift, -infinity, infinity);
  return program;
}

class GrayWorld : public filters::StatisticFilter {
 public:
  GrayWorld() : StatisticFilter("gray-world") {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels == Channels::rgb || input.channels == Channels::rgba) return input;
    throw Unsupported(fmt::format("gray-world: takes RGB images, got {}", to_string(input.channels)));
  }

  std::unique_ptr<ImageStatistic> do_statistic(const ImageFormat& input) const override {
    return filters::sum_statistic(
        input, [input](const std::vector<double>& sums, double pixels) { return balance(input, sums, pixels); });
  }
};

const auto& gray_world_filter() {
  static const auto filter =
      DescribeFilter<GrayWorldOptions>(
          "gray-world", [](const GrayWorldOptions& /*options*/) { return std::make_unique<GrayWorld>(); })
          .summary("Balance colors by their means")
          .text(
              "Each channel is scaled so that its mean becomes the mean of all three. To a channel that is almost "
              "black the mean is added instead. Integers are truncated and clipped.");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_gray_world(const GrayWorldOptions& options) { return gray_world_filter().make(options); }

FilterDescriptor filters::gray_world_descriptor() { return gray_world_filter().build(); }

}  // namespace whorl
