#include "whorl/filter/ordered/median.hpp"

#include "filter/src/kernels/ordered/median.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Median : public filters::FusingFilter {
 public:
  explicit Median(const MedianOptions& options) : FusingFilter("median"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels != Channels::complex) return input;
    throw Unsupported("median: complex numbers have no order, got a complex image; apply 'magnitude' first");
  }

  std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const override {
    return kernels::FusingKernel{kernels::KernelFamily::median, input, 2 * options_.radius + 1, options_.border};
  }

  void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                     Image& to) const override {
    with_pixel_type(input.type, [&](auto number) {
      using T = decltype(number);
      kernels::median<T>(ctx, input, options_.radius, kernels::edge_of<T>(options_, input.type), ends, raw_pixels(from),
                         raw_pixels(to));
    });
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    return rows::within_reach(input, result, options_.radius, options_.border);
  }

  MedianOptions options_;
};

const auto& median_filter() {
  static const auto filter =
      DescribeFilter<MedianOptions>("median",
                                    [](const MedianOptions& options) { return std::make_unique<Median>(options); })
          .alias("median-linear")
          .alias("median-const")
          .summary("Take the median of a square window")
          .text(
              "The middle number of the sorted (2 radius + 1)^2 pixels around each pixel, per channel: exact for "
              "every type. NaN counts as larger than infinity. The algorithm depends on radius and type.")
          .integer("radius", &MedianOptions::radius, {1, kernels::largest_median_radius}, "pixels",
                   "of the window; its side is 2 radius + 1")
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_median(const MedianOptions& options) { return median_filter().make(options); }

FilterDescriptor filters::median_descriptor() { return median_filter().build(); }

}  // namespace whorl
