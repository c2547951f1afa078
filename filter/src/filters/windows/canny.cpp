#include "whorl/filter/windows/canny.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "filter/src/kernels/canny/canny.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr double default_low = 50.0 / 255;
constexpr double default_high = 100.0 / 255;

void set_weights(double sigma, int radius, kernels::CannyPlan& plan) {
  std::array<double, kernels::largest_canny_radius + 1> weights{};
  double sum = 0;
  for (int k = 0; k <= radius; ++k) {
    weights[k] = std::exp(-k * k / (2 * sigma * sigma));
    sum += k == 0 ? weights[k] : 2 * weights[k];
  }
  constexpr int one = 1 << kernels::canny_weight_bits;
  int middle = one;
  for (int k = 0; k <= radius; ++k) {
    plan.weights[k] = static_cast<float>(weights[k] / sum);
    const auto fixed = static_cast<int>(std::lround(weights[k] / sum * one));
    plan.fixed_weights[k] = static_cast<std::int16_t>(fixed);
    if (k > 0) middle -= 2 * fixed;
  }
  // The weights sum to one, so uniform areas do not change. A weight of one does not fit 16 bits; the loss of 2^-15
  // disappears in the rounding.
  plan.fixed_weights[0] = static_cast<std::int16_t>(std::min(middle, one - 1));
  plan.radius = radius;
}

class Canny : public filters::FusingFilter {
 public:
  explicit Canny(const CannyOptions& options) : FusingFilter("canny"), options_(options) {
    if (options.sigma != 0) set_weights(options.sigma, static_cast<int>(options.radius), plan_);
    plan_.border = options.border;
    plan_.squared = options.norm == GradientNorm::l2;
    plan_.first_of_ties = options.ties == EdgeTies::first;
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels == Channels::complex) {
      throw Unsupported("canny: takes gray or RGB images, got complex; apply 'magnitude' first");
    }
    ImageFormat output = input;
    output.channels = Channels::gray;
    return output;
  }

  std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const override {
    return kernels::FusingKernel{kernels::KernelFamily::canny, input, 2 * Index{plan_.radius} + 1, plan_.border};
  }

  void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                     Image& to) const override {
    const PixelType type = to.format().type;
    kernels::CannyPlan plan = plan_;
    const bool integers = type != PixelType::float32;
    const double scale = full_scale(type);
    // Lengths of integer gradients, or their squares, are integers: they exceed a threshold if they exceed its integer
    // part.
    const auto threshold = [&](double length) {
      if (plan.squared) length *= length;
      return static_cast<float>(integers ? std::floor(length) : length);
    };
    plan.low = threshold(options_.low.value_or(default_low * scale));
    plan.high = threshold(options_.high.value_or(default_high * scale));
    plan.border_value = static_cast<float>(integers ? std::clamp(std::floor(options_.border_value + 0.5), 0.0, scale)
                                                    : options_.border_value);
    with_pixel_type(type, [&](auto number) {
      using T = decltype(number);
      kernels::canny<T>(ctx, input, plan, ends.load, raw_pixels(from), to.pixels<T>().data());
    });
  }

  CannyOptions options_;
  kernels::CannyPlan plan_;
};

std::unique_ptr<Filter> unchecked_canny(const CannyOptions& options) {
  const bool high_is_given = options.high.has_value();
  if (options.low.has_value() != high_is_given) {
    throw ValueError("canny: got one threshold, expected low and high, or none");
  }
  if (high_is_given && *options.low > *options.high) {
    throw ValueError(fmt::format("canny: low = {}, expected at most high = {}", *options.low, *options.high));
  }
  return std::make_unique<Canny>(options);
}

const auto& canny_filter() {
  const OptionRange threshold = OptionRange::at_least(0);
  static const auto filter =
      DescribeFilter<CannyOptions>("canny", &unchecked_canny)
          .summary("Find edges as lines one pixel wide")
          .text(
              "Smooths by a Gaussian, takes gradients by Sobel's windows (a step of height h has a gradient of 4 h) "
              "and thins them. Edges are the lines with gradients above low that are connected with one above high, "
              "at any distance (Canny 1986). RGB becomes gray first. Edges are 255 (65535, 1), all else 0. sigma=0 "
              "border=replicate is OpenCV's Canny.")
          .real("low", &CannyOptions::low, threshold, "gray levels", "gradients up to low are no edges", "50 of 255")
          .real("high", &CannyOptions::high, threshold, "gray levels", "gradients above high begin an edge",
                "100 of 255")
          .real("sigma", &CannyOptions::sigma, {0, 100}, "pixels", "of the Gaussian; 0: none")
          .integer("radius", &CannyOptions::radius, {1, kernels::largest_canny_radius}, "pixels", "of the window")
          .when("sigma above 0", [](const CannyOptions& options) { return options.sigma > 0; })
          .choice<GradientNorm>("norm", &CannyOptions::norm, {{"l2", GradientNorm::l2}, {"l1", GradientNorm::l1}},
                                "length of a gradient", false)
          .choice<EdgeTies>("ties", &CannyOptions::ties, {{"first", EdgeTies::first}, {"drop", EdgeTies::drop}},
                            "neighbors across an edge with equal gradients: the left or upper one stays, or both go",
                            false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_canny(const CannyOptions& options) { return canny_filter().make(options); }

FilterDescriptor filters::canny_descriptor() { return canny_filter().build(); }

}  // namespace whorl
