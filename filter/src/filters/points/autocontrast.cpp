#include "whorl/filter/points/autocontrast.hpp"

#include <cmath>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/filters/points/statistics.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr double largest_fraction = 0.4;

/// The level of pixel number `skipped`, counted from the darkest (or the brightest).
std::size_t level_after(const std::vector<std::uint64_t>& counts, std::uint64_t skipped, bool from_bright) {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t level = from_bright ? counts.size() - 1 - i : i;
    seen += counts[level];
    if (seen > skipped) return level;
  }
  return 0;
}

PointProgram stretch(const ImageFormat& format, const filters::Histogram& histogram, double fraction) {
  PointProgram program(format);
  if (histogram.total == 0) return program;
  const auto skipped = static_cast<std::uint64_t>(std::floor(fraction * static_cast<double>(histogram.total)));
  const std::size_t first = level_after(histogram.counts, skipped, false);
  const std::size_t last = level_after(histogram.counts, skipped, true);
  if (program.is_integer()) {
    const auto low = static_cast<Index>(first);
    const auto range = static_cast<Index>(last) - low;
    const auto full = static_cast<Index>(full_scale(format.type));
    // Below lo the quotient is cut to 0, above hi to full scale: the sign of a truncated quotient does not matter.
    if (range > 0) {
      program.map([&](double v) {
        const Index level = (static_cast<Index>(v) - low) * full / range;
        return static_cast<double>(level);
      });
    }
    return program;
  }
  const double low = histogram.low + static_cast<double>(first) * histogram.width;
  const double range = static_cast<double>(last + 1 - first) * histogram.width;
  constexpr double least_range = 1e-30;  // of lumas: equal lumas, or an inverse out of float32
  if (range > least_range) filters::add_affine(program, 1 / range, -low / range);
  return program;
}

class Autocontrast : public filters::StatisticFilter {
 public:
  explicit Autocontrast(const AutocontrastOptions& options) : StatisticFilter("autocontrast"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    return input;
  }

  std::unique_ptr<ImageStatistic> do_statistic(const ImageFormat& input) const override {
    return filters::histogram_statistic(input, [input, fraction = options_.fraction](const auto& histogram) {
      return stretch(input, histogram, fraction);
    });
  }

  AutocontrastOptions options_;
};

const auto& autocontrast_filter() {
  static const auto filter =
      DescribeFilter<AutocontrastOptions>(
          "autocontrast", [](const AutocontrastOptions& options) { return std::make_unique<Autocontrast>(options); })
          .summary("Stretch the range of light to full scale")
          .text(
              "The smallest luma becomes 0 and the largest full scale, with one factor for all colors; a fraction "
              "of the pixels may be left out at each end. Integers are truncated and clipped; float32 is not "
              "clipped.")
          .real("fraction", &AutocontrastOptions::fraction, {0, largest_fraction}, "of the pixels",
                "left out at each end");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_autocontrast(const AutocontrastOptions& options) {
  return autocontrast_filter().make(options);
}

FilterDescriptor filters::autocontrast_descriptor() { return autocontrast_filter().build(); }

}  // namespace whorl
