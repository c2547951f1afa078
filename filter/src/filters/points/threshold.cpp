#include "whorl/filter/points/threshold.hpp"

#include "filter/src/filters/points/light.hpp"
#include "filter/src/filters/points/statistics.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

PointProgram above(const ImageFormat& format, double value) {
  PointProgram program(format);
  const double full = full_scale(format.type);
  if (program.is_integer()) {
    program.map([&](double v) { return v > value ? full : 0; });
  } else {
    program.threshold(static_cast<float>(value));
  }
  return program;
}

/// The last level of the darker class.
std::size_t parting_level(const filters::Histogram& histogram) {
  double sum = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    sum += static_cast<double>(i) * static_cast<double>(histogram.counts[i]);
  }
  const auto total = static_cast<double>(histogram.total);
  double dark = 0;
  double dark_sum = 0;
  double largest = 0;
  std::size_t best = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    dark += static_cast<double>(histogram.counts[i]);
    dark_sum += static_cast<double>(i) * static_cast<double>(histogram.counts[i]);
    if (dark == 0 || dark == total) continue;
    const double apart = dark_sum / dark - (sum - dark_sum) / (total - dark);
    const double variance = dark / total * ((total - dark) / total) * apart * apart;
    if (variance <= largest) continue;
    largest = variance;
    best = i;
  }
  return best;
}

class Threshold : public filters::PointFilter {
 public:
  explicit Threshold(double value) : PointFilter("threshold"), value_(value) {}

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    return above(input, value_);
  }

  double value_;
};

class OtsuThreshold : public filters::StatisticFilter {
 public:
  OtsuThreshold() : StatisticFilter("threshold") {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    filters::take_gray_only(name(), input);
    return input;
  }

  std::unique_ptr<ImageStatistic> do_statistic(const ImageFormat& input) const override {
    return filters::histogram_statistic(input, [input](const filters::Histogram& histogram) {
      const auto level = static_cast<double>(parting_level(histogram));
      if (input.type != PixelType::float32) return above(input, level);
      return above(input, histogram.low + (level + 1) * histogram.width);
    });
  }
};

std::unique_ptr<Filter> unchecked_threshold(const ThresholdOptions& options) {
  if (!options.value) return std::make_unique<OtsuThreshold>();
  return std::make_unique<Threshold>(*options.value);
}

const auto& threshold_filter() {
  static const auto filter =
      DescribeFilter<ThresholdOptions>("threshold", &unchecked_threshold)
          .summary("Separate light from dark")
          .text(
              "Full scale where a color lies above the value, else 0. Without a value Otsu's method finds it, for "
              "gray images: the value with the largest variance between light and dark.")
          .real("value", &ThresholdOptions::value, {}, "", "between dark and light, in the image's numbers", "Otsu's");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_threshold(const ThresholdOptions& options) { return threshold_filter().make(options); }

FilterDescriptor filters::threshold_descriptor() { return threshold_filter().build(); }

}  // namespace whorl
