#include "whorl/filter/denoise/bias.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "filter/src/filters/diffusion/diffuse_axes.hpp"
#include "filter/src/filters/points/float_image.hpp"
#include "filter/src/kernels/denoise/bias.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr double sigma_share = 1.0 / 6;
constexpr double threshold_share = 0.1;
constexpr Index smoothing_steps = 4;

class Bias : public Filter {
 public:
  explicit Bias(const BiasOptions& options) : Filter("bias"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels != Channels::gray) {
      throw Unsupported(fmt::format("bias: takes gray images, got {}; apply '{}' first", to_string(input.channels),
                                    input.channels == Channels::complex ? "magnitude" : "gray"));
    }
    ImageFormat output = input;
    if (options_.output == BiasOutput::field) output.type = PixelType::float32;
    return output;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    Array<float> image = filters::float_image(ctx, input);
    const Index count = image.size();
    kernels::BiasMask mask;
    mask.threshold = options_.threshold.value_or(0);
    mask.share_of_mean = options_.threshold ? 0 : threshold_share;
    Array<kernels::MaskedSum> image_sum(ctx, {1});
    kernels::sum_pixels(ctx, count, image.data(), image_sum.data());
    Array<float> logs(ctx, image.shape());
    Array<float> share(ctx, image.shape());
    kernels::bias_logs(ctx, count, mask, image_sum.data(), image.data(), logs.data(), share.data());
    const double sigma =
        options_.sigma.value_or(sigma_share * static_cast<double>(std::max(format.width, format.height)));
    // A step of (1 - a A) adds 2 a to the variance.
    const double a = sigma * sigma / static_cast<double>(2 * smoothing_steps);
    for (Array<float>* part : {&logs, &share}) {
      filters::diffuse_axes(ctx, format, Border::replicate, options_.volumes, smoothing_steps, a, 0, part->data());
    }
    Array<kernels::MaskedSum> log_sum(ctx, {1});
    kernels::bias_normalize(ctx, count, mask, image_sum.data(), image.data(), share.data(), logs.data(),
                            log_sum.data());
    kernels::bias_apply(ctx, count, options_.output == BiasOutput::field, log_sum.data(), logs.data(), image.data());
    filters::store_float(ctx, image, 0, result);
  }

  BiasOptions options_;
};

const auto& bias_filter() {
  static const auto filter =
      DescribeFilter<BiasOptions>("bias", [](const BiasOptions& options) { return std::make_unique<Bias>(options); })
          .summary("Divide an image by the smooth field of its coil")
          .text(
              "A homomorphic filter: the logarithm of the field is the smoothed logarithm of the pixels above a "
              "threshold. sigma should be wider than the anatomy. Brinkmann, Manduca and Robb, IEEE TMI 17:161 "
              "(1998).")
          .real("sigma", &BiasOptions::sigma, OptionRange::more_than(0).up_to(1e6), "pixels", "how smooth the field is",
                "a sixth of the longer side")
          .real("threshold", &BiasOptions::threshold, {}, "in the image's numbers", "pixels above it show the field",
                "a tenth of the mean")
          .choice<BiasOutput>("output", &BiasOptions::output,
                              {{"corrected", BiasOutput::corrected}, {"field", BiasOutput::field}}, "what comes out",
                              false)
          .choice<bool>("dims", &BiasOptions::volumes, {{"2d", false}, {"3d", true}},
                        "a field for each slice, or for each volume", false);
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_bias(const BiasOptions& options) { return bias_filter().make(options); }

FilterDescriptor filters::bias_descriptor() { return bias_filter().build(); }

}  // namespace whorl
