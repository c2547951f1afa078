#include "whorl/filter/windows/unsharp.hpp"

#include "filter/src/filters/windows/stencil.hpp"
#include "filter/src/kernels/windows/detail.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"
#include "whorl/filter/windows/gaussian.hpp"

namespace whorl {

namespace {

constexpr double largest_amount = 10;

std::unique_ptr<Filter> make_blur(double sigma, const BorderOptions& border) {
  GaussianOptions options;
  static_cast<BorderOptions&>(options) = border;
  options.sigma = sigma;
  return make_gaussian(options);
}

class UnsharpMask : public filters::RepeatableFilter {
 public:
  UnsharpMask(double amount, std::unique_ptr<Filter> blur)
      : RepeatableFilter("unsharp"), amount_(static_cast<float>(amount)), blur_(std::move(blur)) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    Image blurred(ctx, input.format());
    blur_->apply(ctx, input, blurred);
    with_pixel_type(input.format().type, [&](auto number) {
      using T = decltype(number);
      kernels::raise_detail<T>(ctx, input.format().shape().size(), amount_, input.pixels<T>().data(),
                               blurred.pixels<T>().data(), result.pixels<T>().data());
    });
  }

  bool do_is_repeatable(const ImageFormat& input) const override { return filters::is_repeatable(*blur_, input); }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    return blur_->rows_needed(input, result);
  }

  float amount_;
  std::unique_ptr<Filter> blur_;
};

std::unique_ptr<Filter> unchecked_unsharp(const UnsharpOptions& options) {
  const double a = options.amount;
  if (options.sigma) return std::make_unique<UnsharpMask>(a, make_blur(*options.sigma, options));
  constexpr double divisor = 6;
  const ImageKernel kernel{3, 3, {-a, -4 * a, -a, -4 * a, divisor + 20 * a, -4 * a, -a, -4 * a, -a}};
  return filters::make_stencil("unsharp", {kernel, divisor, 0, Negatives::clip}, options);
}

const auto& unsharp_filter() {
  static const auto filter =
      DescribeFilter<UnsharpOptions>("unsharp", &unchecked_unsharp)
          .summary("Raise fine detail")
          .text(
              "The image plus amount times its detail. Without sigma the detail is the correlation with {-1 -4 -1; "
              "-4 20 -4; -1 -4 -1} / 6; with an amount of 1 the result is the correlation with {-1 -4 -1; -4 26 -4; "
              "-1 -4 -1} / 6, rounded to the nearest. With sigma the detail is the difference to a Gaussian blur "
              "(the unsharp mask).")
          .real("amount", &UnsharpOptions::amount, {0, largest_amount}, "", "how much of the detail is added")
          .real("sigma", &UnsharpOptions::sigma, {least_gaussian_sigma, largest_gaussian_sigma}, "pixels",
                "of the Gaussian", "none")
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_unsharp(const UnsharpOptions& options) { return unsharp_filter().make(options); }

FilterDescriptor filters::unsharp_descriptor() { return unsharp_filter().build(); }

}  // namespace whorl
