#include "whorl/filter/ordered/median.hpp"

#include <fmt/format.h>

#include "filter/kernels/ordered/median.hpp"
#include "filter/pipeline/describe.hpp"
#include "filter/pipeline/filter_list.hpp"
#include "filter/pipeline/hooks.hpp"
#include "filter/pipeline/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

class Median : public Filter {
 public:
  explicit Median(const MedianOptions& options) : Filter("median"), options_(options) {
    if (options.radius >= 1 && options.radius <= kernels::largest_median_radius) return;
    throw ValueError(
        fmt::format("median: radius is {}, expected 1 to {}", options.radius, kernels::largest_median_radius));
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels != Channels::complex) return input;
    throw Unsupported("median: complex numbers have no order, got a complex image; apply 'magnitude' first");
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::median<T>(ctx, format, options_.radius, kernels::edge_of<T>(options_, format.type),
                         input.pixels<T>().data(), result.pixels<T>().data());
    });
  }

  bool do_fuses(DeviceKind device, const ImageFormat& /*input*/, PointPlace place,
                const PointProgram& program) const override {
    return kernels::fuses_points(device, kernels::Fusing::median, place, program.code()) &&
           options_.radius <= kernels::largest_fused_median;
  }

  void do_apply_fused(const Context& ctx, const Image& input, const FusedPoints& points, Image& result) const override {
    with_pixel_type(points.input.type, [&](auto number) {
      using T = decltype(number);
      kernels::median_fused<T>(ctx, points.input, options_.radius, kernels::edge_of<T>(options_, points.input.type),
                               points.ends(), raw_pixels(input), raw_pixels(result));
    });
  }

  bool do_is_repeatable(const ImageFormat& /*input*/) const override { return true; }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    return rows::within_reach(input, result, options_.radius, options_.border);
  }

  MedianOptions options_;
};

}  // namespace

std::unique_ptr<Filter> make_median(const MedianOptions& options) { return std::make_unique<Median>(options); }

FilterDescriptor filters::median_descriptor() {
  return filters::Describe<MedianOptions>("median", &make_median)
      .alias("median-linear")
      .alias("median-const")
      .summary("Take the median of a square window")
      .text(
          "The number in the middle of the sorted (2 radius + 1)^2 pixels around each, per channel: exact for every "
          "type. "
          "What is not a number counts as larger than infinity. The way there is picked by radius and type.")
      .integer("radius", &MedianOptions::radius, {1, kernels::largest_median_radius}, "pixels",
               "of the window; its side is 2 radius + 1")
      .border()
      .build();
}

}  // namespace whorl
