#include "whorl/filter/geometry/flip.hpp"

#include "filter/src/kernels/geometry/flip.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Flip : public filters::RepeatableFilter {
 public:
  explicit Flip(const FlipOptions& options) : RepeatableFilter("flip"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    const kernels::FlippedAxes axes{options_.axis == ImageAxis::z, options_.axis == ImageAxis::y,
                                    options_.axis == ImageAxis::x};
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::flip<T>(ctx, format, axes, input.pixels<T>().data(), result.pixels<T>().data());
    });
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    if (options_.axis != ImageAxis::y) return result;
    return {input.height - result.last, input.height - result.first};
  }

  void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                        RowRange wanted, Image& result) const override {
    Image flipped(ctx, band.format());
    do_apply(ctx, band, flipped);
    const bool upside_down = options_.axis == ImageAxis::y;
    // Row r of the result is row height - 1 - r of the whole image, and the last of the band came first.
    const Index first = upside_down ? given.last - whole.height + wanted.first : wanted.first - given.first;
    rows::copy_rows(ctx, flipped, {first, first + wanted.count()}, result);
  }

  FlipOptions options_;
};

const auto& flip_filter() {
  static const auto filter =
      DescribeFilter<FlipOptions>("flip", [](const FlipOptions& options) { return std::make_unique<Flip>(options); })
          .summary("Mirror an image")
          .text(
              "The last column becomes the first (axis x), the last row (axis y), or the last slice of each volume "
              "(axis z).")
          .choice<ImageAxis>("axis", &FlipOptions::axis,
                             {{"x", ImageAxis::x}, {"y", ImageAxis::y}, {"z", ImageAxis::z}},
                             "along which the image is mirrored");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_flip(const FlipOptions& options) { return flip_filter().make(options); }

FilterDescriptor filters::flip_descriptor() { return flip_filter().build(); }

}  // namespace whorl
