#include "whorl/filter/points/gray.hpp"

#include "filter/src/filters/points/light.hpp"
#include "filter/src/filters/points/statistics.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Gray : public filters::PointFilter {
 public:
  explicit Gray(const GrayOptions& options) : PointFilter("gray"), options_(options) {}

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    PointProgram program(input);
    if (program.colors() == 1) return program;
    switch (options_.weights) {
      case GrayWeights::bt709:
        program.mix(filters::luma_weights, filters::luma_divisor);
        break;
      case GrayWeights::bt601:
        program.mix({2990, 5870, 1140}, filters::luma_divisor);
        break;
      default:
        program.mix({1, 1, 1}, 3);
    }
    return program;
  }

  GrayOptions options_;
};

const auto& gray_filter() {
  static const auto filter =
      DescribeFilter<GrayOptions>("gray", [](const GrayOptions& options) { return std::make_unique<Gray>(options); })
          .summary("Turn RGB into gray")
          .text(
              "Weights of red, green and blue: bt709 0.2125, 0.7154, 0.0721; bt601 0.299, 0.587, 0.114; mean a "
              "third each. Integers are computed exactly and truncated. Alpha stays.")
          .choice<GrayWeights>(
              "weights", &GrayOptions::weights,
              {{"bt709", GrayWeights::bt709}, {"bt601", GrayWeights::bt601}, {"mean", GrayWeights::mean}},
              "weights of red, green and blue");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_gray(const GrayOptions& options) { return gray_filter().make(options); }

FilterDescriptor filters::gray_descriptor() { return gray_filter().build(); }

}  // namespace whorl
