#include "whorl/filter/geometry/pad.hpp"

#include "filter/src/filters/geometry/frame_job.hpp"
#include "filter/src/filters/points/pixel_value.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

// More is certainly a mistake, and with this limit sums of extents stay far from overflow.
constexpr Index most_pixels = 1 << 20;

class Pad : public filters::RepeatableFilter {
 public:
  explicit Pad(const PadOptions& options) : RepeatableFilter("pad"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    ImageFormat output = input;
    output.width += options_.left + options_.right + 2 * options_.all;
    output.height += options_.top + options_.bottom + 2 * options_.all;
    return output;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const Index rows = input.format().height;
    do_apply_to_band(ctx, input.format(), input, {0, rows}, {0, result.format().height}, result);
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    RowRange needed{input.height, 0};
    for (Index y = result.first; y < result.last; ++y) {
      const Index row = border_index(options_.border, y - options_.top - options_.all, input.height);
      if (row < 0) continue;
      needed = {std::min(needed.first, row), std::max(needed.last, row + 1)};
    }
    // Rows of the constant border need no row of the input.
    return needed.first < needed.last ? needed : RowRange{0, 1};
  }

  void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                        RowRange wanted, Image& result) const override {
    with_pixel_type(whole.type, [&](auto number) {
      using T = decltype(number);
      const ImageFormat& format = result.format();
      kernels::FrameJob<T> job = filters::frame_job<T>(whole, given, format.height, format.width);
      job.top = wanted.first - options_.top - options_.all;
      job.left = -options_.left - options_.all;
      job.border = options_.border;
      job.value = filters::pixel_value<T>(options_.border_value);
      kernels::frame<T>(ctx, job, band.pixels<T>().data(), result.pixels<T>().data());
    });
  }

  PadOptions options_;
};

const auto& pad_filter() {
  static const auto filter =
      DescribeFilter<PadOptions>("pad", [](const PadOptions& options) { return std::make_unique<Pad>(options); })
          .summary("Add pixels around an image")
          .text("Around every slice, by the border's rule, however many.")
          .integer("left", &PadOptions::left, {0, most_pixels}, "pixels", "more columns before the first")
          .integer("right", &PadOptions::right, {0, most_pixels}, "pixels", "more columns after the last")
          .integer("top", &PadOptions::top, {0, most_pixels}, "pixels", "more rows above the first")
          .integer("bottom", &PadOptions::bottom, {0, most_pixels}, "pixels", "more rows below the last")
          .integer("all", &PadOptions::all, {0, most_pixels}, "pixels", "more on each side")
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_pad(const PadOptions& options) { return pad_filter().make(options); }

FilterDescriptor filters::pad_descriptor() { return pad_filter().build(); }

}  // namespace whorl
