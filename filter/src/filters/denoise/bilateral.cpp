#include "whorl/filter/denoise/bilateral.hpp"

#include <cmath>
#include <numbers>

#include "filter/src/kernels/denoise/bilateral.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr OptionRange sigmas{0.1, 50};
constexpr OptionRange ranges{1e-30, 1e30};
constexpr double default_range = 0.1;

class Bilateral : public filters::RepeatableFilter {
 public:
  explicit Bilateral(const BilateralOptions& options)
      : RepeatableFilter("bilateral"),
        options_(options),
        radius_(options.radius.value_or(std::max<Index>(std::lround(2 * options.sigma), 1))) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels != Channels::complex) return input;
    throw Unsupported("bilateral: takes gray or RGB images, got complex; apply 'magnitude' first");
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    const double range = options_.range.value_or(default_range * full_scale(format.type));
    kernels::BilateralPlan plan;
    plan.radius = static_cast<int>(radius_);
    plan.place = static_cast<float>(std::numbers::log2e / (2 * options_.sigma * options_.sigma));
    plan.value = static_cast<float>(std::sqrt(std::numbers::log2e / 2) / range);
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::bilateral<T>(ctx, format, plan, kernels::edge_of<T>(options_, format.type), input.pixels<T>().data(),
                            result.pixels<T>().data());
    });
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    return rows::within_reach(input, result, radius_, options_.border);
  }

  BilateralOptions options_;
  Index radius_;
};

const auto& bilateral_filter() {
  static const auto filter =
      DescribeFilter<BilateralOptions>(
          "bilateral", [](const BilateralOptions& options) { return std::make_unique<Bilateral>(options); })
          .summary("Average neighbors of nearly the same value")
          .text(
              "Weights exp(-distance^2 / (2 sigma^2) - d^2 / (2 range^2)) over a disc, where d is the sum over the "
              "colors of the absolute differences to the center pixel. Edges higher than a few times range stay "
              "(Tomasi and Manduchi, ICCV 1998). It is OpenCV's bilateralFilter with d = 2 radius + 1.")
          .real("sigma", &BilateralOptions::sigma, sigmas, "pixels", "of the weight by distance")
          .real("range", &BilateralOptions::range, ranges, "in the image's numbers",
                "sigma of the weight by difference", "10 % of full scale")
          .integer("radius", &BilateralOptions::radius, {1, kernels::largest_bilateral_radius}, "pixels", "of the disc",
                   "2 sigma, rounded")
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_bilateral(const BilateralOptions& options) { return bilateral_filter().make(options); }

FilterDescriptor filters::bilateral_descriptor() { return bilateral_filter().build(); }

}  // namespace whorl
