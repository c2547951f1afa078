#include "whorl/filter/points/equalize.hpp"

#include <algorithm>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/filters/points/statistics.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

/// (n(level) - n0) / (N - n0), 0 below the smallest level of the image; empty for an image of one level.
std::vector<double> shares_below(const filters::Histogram& histogram) {
  const auto first = std::find_if(histogram.counts.begin(), histogram.counts.end(), [](auto n) { return n != 0; });
  if (first == histogram.counts.end() || *first == histogram.total) return {};
  std::vector<double> shares(histogram.counts.size());
  std::uint64_t below = 0;
  for (auto level = static_cast<std::size_t>(first - histogram.counts.begin()) + 1; level < shares.size(); ++level) {
    below += histogram.counts[level];
    shares[level] = static_cast<double>(below) / static_cast<double>(histogram.total - *first);
  }
  return shares;
}

PointProgram equalize(const ImageFormat& format, const filters::Histogram& histogram) {
  PointProgram program(format);
  const std::vector<double> shares = shares_below(histogram);
  if (shares.empty()) return program;
  if (program.is_integer()) {
    program.map([&](double v) { return full_scale(format.type) * shares[static_cast<std::size_t>(v)]; });
    return program;
  }
  const double range = histogram.width * static_cast<double>(shares.size());
  std::vector<float> table;
  for (const double share : shares) table.push_back(static_cast<float>(histogram.low + range * share));
  program.bins(static_cast<float>(histogram.low), static_cast<float>(1 / histogram.width), std::move(table));
  return program;
}

class Equalize : public filters::StatisticFilter {
 public:
  Equalize() : StatisticFilter("equalize") {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    return input;
  }

  std::unique_ptr<ImageStatistic> do_statistic(const ImageFormat& input) const override {
    return filters::histogram_statistic(
        input, [input](const filters::Histogram& histogram) { return equalize(input, histogram); });
  }
};

const auto& equalize_filter() {
  static const auto filter =
      DescribeFilter<EqualizeOptions>("equalize",
                                      [](const EqualizeOptions& /*options*/) { return std::make_unique<Equalize>(); })
          .summary("Give each level the same number of pixels")
          .text(
              "Each color v becomes the share of the pixels whose luma is at most v, times full scale (float32: "
              "over the range of luma). Pixels of the smallest luma do not count.");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_equalize(const EqualizeOptions& options) { return equalize_filter().make(options); }

FilterDescriptor filters::equalize_descriptor() { return equalize_filter().build(); }

}  // namespace whorl
