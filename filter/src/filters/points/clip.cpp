#include "whorl/filter/points/clip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Clip : public filters::PointFilter {
 public:
  explicit Clip(const ClipOptions& options)
      : PointFilter("clip"),
        low_(options.low.value_or(-std::numeric_limits<double>::infinity())),
        high_(options.high.value_or(std::numeric_limits<double>::infinity())) {
    if (low_ > high_) throw ValueError(fmt::format("clip: low {} lies above high {}", low_, high_));
  }

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    PointProgram program(input);
    if (program.is_integer()) {
      program.map([&](double v) { return std::clamp(v, low_, high_); });
    } else {
      filters::add_affine(program, 1, 0, low_, high_);
    }
    return program;
  }

  double low_;
  double high_;
};

const auto& clip_filter() {
  static const auto filter =
      DescribeFilter<ClipOptions>("clip", [](const ClipOptions& options) { return std::make_unique<Clip>(options); })
          .summary("Limit numbers to a range")
          .text("Each color below low becomes low, each one above high becomes high.")
          .real("low", &ClipOptions::low, {}, "", "least number", "none")
          .real("high", &ClipOptions::high, {}, "", "largest number", "none");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_clip(const ClipOptions& options) { return clip_filter().make(options); }

FilterDescriptor filters::clip_descriptor() { return clip_filter().build(); }

}  // namespace whorl
