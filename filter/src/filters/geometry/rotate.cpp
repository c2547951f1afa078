#include "whorl/filter/geometry/rotate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "filter/src/filters/geometry/warp.hpp"
#include "filter/src/kernels/geometry/quarter_turn.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr double full_turn = 360;
constexpr double right_angle = 90;
constexpr int right_angles = 4;

struct Direction {
  double cosine;
  double sine;
};

class Rotate : public filters::RepeatableFilter {
 public:
  explicit Rotate(const RotateOptions& options) : RepeatableFilter("rotate"), options_(options) {
    double angle = std::fmod(options.angle, full_turn);
    if (angle < 0) angle += full_turn;
    const double turns = std::round(angle / right_angle);
    const double rest = (angle - turns * right_angle) * std::numbers::pi / (2 * right_angle);
    turns_ = static_cast<int>(turns) % right_angles;
    is_quarter_turn_ = rest == 0 && options.size == RotateSize::fit;
    // Right angles are exact; the remaining angle uses sine and cosine.
    direction_ = {std::cos(rest), std::sin(rest)};
    for (int i = 0; i < turns_; ++i) direction_ = {-direction_.sine, direction_.cosine};
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    constexpr Index most = Index{1} << 29;
    if (input.height > most || input.width > most) {
      throw ShapeError(
          fmt::format("rotate: {} x {} pixels, expected at most {} of each", input.width, input.height, most));
    }
    ImageFormat output = input;
    if (options_.size == RotateSize::same) return output;
    const double c = std::abs(direction_.cosine);
    const double s = std::abs(direction_.sine);
    // A side that is an integer up to rounding stays that integer.
    const auto whole = [](double side) { return static_cast<Index>(std::ceil(side - 1e-6)); };
    const auto height = static_cast<double>(input.height);
    const auto width = static_cast<double>(input.width);
    output.height = std::max<Index>(1, whole(width * s + height * c));
    output.width = std::max<Index>(1, whole(width * c + height * s));
    return output;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    if (!is_quarter_turn_) {
      do_apply_to_band(ctx, format, input, {0, format.height}, {0, result.format().height}, result);
    } else if (turns_ == 0) {
      copy(ctx, input, result);
    } else {
      const kernels::QuarterTurnJob job{format.slices(), count_of(format.channels), format.height, format.width,
                                        turns_};
      with_pixel_type(format.type, [&](auto number) {
        using T = decltype(number);
        kernels::quarter_turn<T>(ctx, job, input.pixels<T>().data(), result.pixels<T>().data());
      });
    }
  }

  filters::WarpLines lines(const ImageFormat& input) const {
    const ImageFormat output = do_output(input);
    filters::WarpLines lines;
    lines.down_y = lines.along_x = filters::to_fixed(direction_.cosine);
    lines.along_y = filters::to_fixed(direction_.sine);
    lines.down_x = -lines.along_y;
    const kernels::Fixed half = filters::to_fixed(0.5);
    lines.start_y =
        half * (input.height - 1) - ((output.height - 1) * lines.down_y + (output.width - 1) * lines.along_y) / 2;
    lines.start_x =
        half * (input.width - 1) - ((output.height - 1) * lines.down_x + (output.width - 1) * lines.along_x) / 2;
    return lines;
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    const RowRange all{0, input.height};
    if (is_quarter_turn_ || options_.border == Border::wrap) return all;
    const filters::WarpLines read = lines(input);
    const kernels::Fixed across = (do_output(input).width - 1) * read.along_y;
    const kernels::Fixed top = read.start_y + result.first * read.down_y;
    const kernels::Fixed bottom = read.start_y + (result.last - 1) * read.down_y;
    const auto row = [](kernels::Fixed at) { return at >> kernels::fixed_bits; };
    // Keys' kernel reads one row above a position's row and two below.
    const RowRange needed{row(std::min(top, bottom) + std::min<kernels::Fixed>(across, 0)) - 1,
                          row(std::max(top, bottom) + std::max<kernels::Fixed>(across, 0)) + 3};
    const bool inside = needed.first >= 0 && needed.last <= input.height;
    return options_.border == Border::reflect && !inside ? all : needed;
  }

  void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                        RowRange wanted, Image& result) const override {
    if (is_quarter_turn_) {
      Image turned(ctx, do_output(whole));
      do_apply(ctx, band, turned);
      rows::copy_rows(ctx, turned, wanted, result);
      return;
    }
    filters::warp(ctx, lines(whole), options_.method == RotateMethod::bicubic, options_, whole, band, given, wanted,
                  result);
  }

  RotateOptions options_;
  Direction direction_{};
  int turns_ = 0;
  bool is_quarter_turn_ = false;
};

const auto& rotate_filter() {
  static const auto filter =
      DescribeFilter<RotateOptions>("rotate",
                                    [](const RotateOptions& options) { return std::make_unique<Rotate>(options); })
          .summary("Turn an image about its center")
          .text(
              "Turns every slice counterclockwise as displayed. Quarter turns move whole pixels; other angles "
              "interpolate. bicubic is Keys' kernel with a = -1/2.")
          .real("angle", &RotateOptions::angle, {-1e6, 1e6}, "degrees", "counterclockwise")
          .choice<RotateSize>("size", &RotateOptions::size, {{"fit", RotateSize::fit}, {"same", RotateSize::same}},
                              "fit: holds the whole image; same: as before", false)
          .choice<RotateMethod>("method", &RotateOptions::method,
                                {{"bilinear", RotateMethod::bilinear}, {"bicubic", RotateMethod::bicubic}},
                                "how pixels are weighted", false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_rotate(const RotateOptions& options) { return rotate_filter().make(options); }

FilterDescriptor filters::rotate_descriptor() { return rotate_filter().build(); }

}  // namespace whorl
