#include "whorl/filter/geometry/crop.hpp"

#include <fmt/format.h>

#include <limits>

#include "filter/src/filters/geometry/frame_job.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Crop : public filters::RepeatableFilter {
 public:
  explicit Crop(const CropOptions& options) : RepeatableFilter("crop"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    ImageFormat output = input;
    output.width = extent("x", "width", options_.x, options_.width, input.width);
    output.height = extent("y", "height", options_.y, options_.height, input.height);
    return output;
  }

  static Index extent(const char* from, const char* name, Index first, const std::optional<Index>& wanted,
                      Index there) {
    const bool starts = first >= 0 && first < there;
    const Index extent = starts ? wanted.value_or(there - first) : 0;
    if (extent >= 1 && extent <= there - first) return extent;
    throw ShapeError(fmt::format("crop: {} = {}, {} = {}, expected a part of {} pixels", from, first, name,
                                 wanted ? std::to_string(*wanted) : "the rest", there));
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const Index rows = input.format().height;
    do_apply_to_band(ctx, input.format(), input, {0, rows}, {0, result.format().height}, result);
  }

  RowRange do_rows_needed(const ImageFormat& /*input*/, RowRange result) const override {
    return {result.first + options_.y, result.last + options_.y};
  }

  void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                        RowRange wanted, Image& result) const override {
    with_pixel_type(whole.type, [&](auto number) {
      using T = decltype(number);
      const ImageFormat& format = result.format();
      kernels::FrameJob<T> job = filters::frame_job<T>(whole, given, format.height, format.width);
      job.top = options_.y + wanted.first;
      job.left = options_.x;
      kernels::frame<T>(ctx, job, band.pixels<T>().data(), result.pixels<T>().data());
    });
  }

  CropOptions options_;
};

const auto& crop_filter() {
  constexpr Index most = std::numeric_limits<Index>::max();
  static const auto filter =
      DescribeFilter<CropOptions>("crop", [](const CropOptions& options) { return std::make_unique<Crop>(options); })
          .summary("Cut a rectangle out of an image")
          .text("Columns x to x + width - 1 and rows y to y + height - 1, of every slice.")
          .integer("x", &CropOptions::x, {0, most}, "pixels", "the first column")
          .integer("y", &CropOptions::y, {0, most}, "pixels", "the first row")
          .integer("width", &CropOptions::width, {1, most}, "pixels", "of the rectangle", "up to the right edge")
          .integer("height", &CropOptions::height, {1, most}, "pixels", "of the rectangle", "down to the last row");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_crop(const CropOptions& options) { return crop_filter().make(options); }

FilterDescriptor filters::crop_descriptor() { return crop_filter().build(); }

}  // namespace whorl
