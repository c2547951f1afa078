#include "whorl/filter/denoise/non_local_means.hpp"

#include <fmt/format.h>

#include "filter/src/filters/points/float_image.hpp"
#include "filter/src/kernels/denoise/non_local_means.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr float strength_per_sigma = 1.2F;
constexpr Index widest_patch = 10;
constexpr Index widest_search = 100;

class NonLocalMeans : public filters::RepeatableFilter {
 public:
  explicit NonLocalMeans(const NonLocalMeansOptions& options)
      : RepeatableFilter("non-local-means"), options_(options) {}

 private:
  bool estimates() const { return !options_.sigma && (!options_.strength || options_.rician); }

  ImageFormat do_output(const ImageFormat& input) const override {
    if (options_.rician && input.channels == Channels::complex) {
      throw Unsupported(
          "non-local-means: the Rician correction is for magnitudes, got complex; apply 'magnitude' first, or leave "
          "rician out");
    }
    if (estimates() && (input.height < 2 || input.width < 2)) {
      throw ShapeError(fmt::format("non-local-means: the noise is estimated from 2 x 2 pixels, got {}; give strength{}",
                                   to_string(input), options_.rician ? " and sigma" : ""));
    }
    return input;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    const Array<float> image = filters::float_image(ctx, input);
    Array<float> sigma(ctx, {1});
    if (estimates()) {
      kernels::noise_sigma(ctx, format, image.data(), sigma.data());
    } else {
      fill<float>(ctx, sigma, static_cast<float>(options_.sigma.value_or(0)));
    }
    kernels::NonLocalMeans job;
    job.border = options_.border;
    job.border_value = static_cast<float>(options_.border_value);
    job.patch = options_.patch;
    job.search = options_.search;
    job.strength = static_cast<float>(options_.strength.value_or(0));
    job.per_sigma = strength_per_sigma;
    job.rician = options_.rician;
    Array<float> means(ctx, image.shape());
    kernels::non_local_means(ctx, format, job, sigma.data(), image.data(), means.data());
    filters::store_float(ctx, means, 0, result);
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    if (estimates()) return {0, input.height};
    return rows::within_reach(input, result, options_.search + options_.patch, options_.border);
  }

  NonLocalMeansOptions options_;
};

const auto& non_local_means_filter() {
  static const auto filter =
      DescribeFilter<NonLocalMeansOptions>(
          "non-local-means",
          [](const NonLocalMeansOptions& options) { return std::make_unique<NonLocalMeans>(options); })
          .alias("nlm")
          .summary("Average pixels whose surroundings are alike")
          .text(
              "Weights exp(-d^2/h^2), where d^2 is the mean squared difference of the patches around two pixels. "
              "Buades, Coll and Morel, CVPR 2005. rician=yes is for magnitudes of MR images: sqrt(mean of squares - "
              "2 sigma^2).")
          .real("strength", &NonLocalMeansOptions::strength, OptionRange::more_than(0).up_to(1e30),
                "in the image's numbers", "h", "1.2 times the noise")
          .integer("patch", &NonLocalMeansOptions::patch, {0, widest_patch}, "pixels", "radius of the compared patches")
          .integer("search", &NonLocalMeansOptions::search, {0, widest_search}, "pixels",
                   "radius of the search for similar pixels")
          .real("sigma", &NonLocalMeansOptions::sigma, {0, 1e30}, "in the image's numbers", "the noise",
                "estimated from the image")
          .when("rician or no strength",
                [](const NonLocalMeansOptions& options) { return options.rician || !options.strength; })
          .flag("rician", &NonLocalMeansOptions::rician, "subtract what noise adds to magnitudes")
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_non_local_means(const NonLocalMeansOptions& options) {
  return non_local_means_filter().make(options);
}

FilterDescriptor filters::non_local_means_descriptor() { return non_local_means_filter().build(); }

}  // namespace whorl
