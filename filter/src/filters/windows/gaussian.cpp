#include "whorl/filter/windows/gaussian.hpp"

#include <cmath>

#include "filter/src/kernels/windows/recursive_gaussian.hpp"
#include "filter/src/kernels/windows/separable.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr Index most_radius = 450;

std::vector<double> window(double sigma, Index radius) {
  std::vector<double> taps;
  double sum = 0;
  for (Index i = -radius; i <= radius; ++i) {
    const auto x = static_cast<double>(i);
    taps.push_back(std::exp(-x * x / (2 * sigma * sigma)));
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

// Slices as rows of an image whose columns are pixels: filtered along y, it is filtered along z.
ImageFormat with_slices_as_rows(const ImageFormat& format) {
  return {format.type, format.channels, format.volumes, 1, format.depth, format.height * format.width};
}

class Gaussian : public filters::FusingFilter {
 public:
  explicit Gaussian(const GaussianOptions& options)
      : FusingFilter("gaussian"), options_(options), recursive_(!options.radius && options.sigma >= recursive_sigma) {
    constexpr double sigmas = 3;
    const Index radius = options.radius.value_or(
        std::max<Index>(1, static_cast<Index>(sigmas * options.sigma + 0.5)));  // NOLINT(bugprone-incorrect-roundings)
    if (!recursive_) taps_ = window(options.sigma, radius);
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }

  std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const override {
    if (recursive_) return std::nullopt;
    return kernels::FusingKernel{kernels::KernelFamily::separable, input, static_cast<Index>(taps_.size()),
                                 options_.border};
  }

  void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                     Image& to) const override {
    with_pixel_type(input.type, [&](auto number) {
      using T = decltype(number);
      if (!options_.along_z) {
        filter_slices<T>(ctx, input, ends, raw_pixels(from), raw_pixels(to));
        return;
      }
      const ImageFormat stacked = with_slices_as_rows(input);
      Array<T> blurred(ctx, input.shape());
      filter_slices<T>(ctx, input, {ends.load, nullptr}, raw_pixels(from), blurred.data());
      if (recursive_) {
        kernels::recursive_gaussian<T>(ctx, stacked, options_.sigma, {true, false}, options_, blurred.data(),
                                       to.pixels<T>().data());
      } else {
        kernels::separable<T>(ctx, stacked, {taps_, {1}}, options_, {nullptr, ends.store}, blurred.data(),
                              raw_pixels(to));
      }
    });
  }

  template <class T>
  void filter_slices(const Context& ctx, const ImageFormat& format, const kernels::PointEnds& ends, const void* from,
                     void* to) const {
    if (recursive_) {
      kernels::recursive_gaussian<T>(ctx, format, options_.sigma, {true, true}, options_, static_cast<const T*>(from),
                                     static_cast<T*>(to));
    } else {
      kernels::separable<T>(ctx, format, {taps_, taps_}, options_, ends, from, to);
    }
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    const Index radius = recursive_ ? kernels::recursive_reach(options_.sigma) : static_cast<Index>(taps_.size()) / 2;
    return rows::within_reach(input, result, radius, options_.border);
  }

  GaussianOptions options_;
  bool recursive_;
  std::vector<double> taps_;
};

const auto& gaussian_filter() {
  static const auto filter =
      DescribeFilter<GaussianOptions>(
          "gaussian", [](const GaussianOptions& options) { return std::make_unique<Gaussian>(options); })
          .alias("gaussian-separable")
          .alias("gassian")
          .summary("Blur by a Gaussian")
          .text(
              "The mean of the neighbors up to the radius, with weights exp(-x^2 / (2 sigma^2)) along each axis "
              "that sum to 1. Without a radius, sigmas of 16 and more use a recursive filter (Deriche 1993). Its "
              "window is not cut off and is within 2e-5 of the Gaussian.")
          .real("sigma", &GaussianOptions::sigma, {least_gaussian_sigma, largest_gaussian_sigma}, "pixels",
                "standard deviation")
          .integer("radius", &GaussianOptions::radius, {1, most_radius}, "pixels", "how far the window reaches",
                   "int(3 sigma + 0.5)")
          .choice<bool>("dims", &GaussianOptions::along_z, {{"2d", false}, {"3d", true}},
                        "slice by slice, or across slices too", false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_gaussian(const GaussianOptions& options) { return gaussian_filter().make(options); }

FilterDescriptor filters::gaussian_descriptor() { return gaussian_filter().build(); }

}  // namespace whorl
