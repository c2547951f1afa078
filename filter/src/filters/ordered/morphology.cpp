#include "whorl/filter/ordered/morphology.hpp"

#include <fmt/format.h>

#include "filter/src/kernels/ordered/morphology.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

using kernels::Extremum;

constexpr Index largest_radius = 1000;

// The window as a union of rectangles. For a disc there is a rectangle for each width of its rows, as high as the
// number of rows that are at least this wide.
std::vector<kernels::Rectangle> rectangles_of(WindowShape shape, Index radius) {
  if (shape == WindowShape::square) return {{radius, radius}};
  if (shape == WindowShape::cross) return {{radius, 0}, {0, radius}};
  std::vector<kernels::Rectangle> rectangles;
  Index x = radius;
  for (Index y = 0; y <= radius; ++y) {
    while (x * x + y * y > radius * radius) --x;
    if (!rectangles.empty() && rectangles.back().x == x) {
      rectangles.back().y = y;
    } else {
      rectangles.push_back({x, y});
    }
  }
  return rectangles;
}

enum class Operation { erode, dilate, open, close, gradient, tophat, blackhat };

const char* name_of(Operation operation) {
  constexpr const char* names[] = {"erode", "dilate", "open", "close", "gradient", "tophat", "blackhat"};
  return names[static_cast<int>(operation)];
}

class Morphology : public filters::FusingFilter {
 public:
  Morphology(Operation operation, const MorphologyOptions& options)
      : FusingFilter(name_of(operation)),
        operation_(operation),
        options_(options),
        rectangles_(rectangles_of(options.shape, options.radius)) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels != Channels::complex) return input;
    throw Unsupported(
        fmt::format("{}: complex numbers have no order, got a complex image; apply 'magnitude' first", name()));
  }

  void take(const Context& ctx, Extremum which, const Image& input, Image& result) const {
    take(ctx, which, input.format(), {}, input, result);
  }

  void take(const Context& ctx, Extremum which, const ImageFormat& format, const kernels::PointEnds& ends,
            const Image& from, Image& to) const {
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::window_extremum<T>(ctx, format, which, rectangles_, kernels::edge_of<T>(options_, format.type), ends,
                                  raw_pixels(from), raw_pixels(to));
    });
  }

  void take_both(const Context& ctx, Extremum first, const Image& input, Image& result) const {
    Image between(ctx, input.format());
    take(ctx, first, input, between);
    take(ctx, first == Extremum::smallest ? Extremum::largest : Extremum::smallest, between, result);
  }

  static void subtract(const Context& ctx, const Image& a, const Image& b, Image& result) {
    with_pixel_type(result.format().type, [&](auto number) {
      using T = decltype(number);
      kernels::subtract<T>(ctx, result.format().shape().size(), a.pixels<T>().data(), b.pixels<T>().data(),
                           result.pixels<T>().data());
    });
  }

  // Only erode and dilate consist of one kernel.
  std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const override {
    if (operation_ != Operation::erode && operation_ != Operation::dilate) return std::nullopt;
    return kernels::FusingKernel{kernels::KernelFamily::window_extremum, input, 2 * options_.radius + 1,
                                 options_.border};
  }

  void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                     Image& to) const override {
    switch (operation_) {
      case Operation::erode:
        return take(ctx, Extremum::smallest, input, ends, from, to);
      case Operation::dilate:
        return take(ctx, Extremum::largest, input, ends, from, to);
      case Operation::open:
        return take_both(ctx, Extremum::smallest, from, to);
      case Operation::close:
        return take_both(ctx, Extremum::largest, from, to);
      default:
        break;
    }
    Image upper(ctx, input);
    if (operation_ == Operation::gradient) {
      Image lower(ctx, input);
      take(ctx, Extremum::largest, from, upper);
      take(ctx, Extremum::smallest, from, lower);
      subtract(ctx, upper, lower, to);
    } else if (operation_ == Operation::tophat) {
      take_both(ctx, Extremum::smallest, from, upper);
      subtract(ctx, from, upper, to);
    } else {
      take_both(ctx, Extremum::largest, from, upper);
      subtract(ctx, upper, from, to);
    }
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    const bool one_step =
        operation_ == Operation::erode || operation_ == Operation::dilate || operation_ == Operation::gradient;
    return rows::within_reach(input, result, (one_step ? 1 : 2) * options_.radius, options_.border);
  }

  Operation operation_;
  MorphologyOptions options_;
  std::vector<kernels::Rectangle> rectangles_;
};

DescribeFilter<MorphologyOptions> described(Operation operation, const std::string& summary, const std::string& text) {
  const auto make = [operation](const MorphologyOptions& options) {
    return std::make_unique<Morphology>(operation, options);
  };
  return DescribeFilter<MorphologyOptions>(name_of(operation), make)
      .summary(summary)
      .text(text)
      .integer("radius", &MorphologyOptions::radius, {1, largest_radius}, "pixels", "of the window")
      .choice<WindowShape>(
          "shape", &MorphologyOptions::shape,
          {{"square", WindowShape::square}, {"disc", WindowShape::disc}, {"cross", WindowShape::cross}},
          "of the window; a disc has the pixels with x^2 + y^2 <= radius^2")
      .border();
}

}  // namespace

#define WHORL_MORPHOLOGY(operation, summary, text)                             \
  namespace {                                                                  \
  const auto& operation##_filter() {                                           \
    static const auto filter = described(Operation::operation, summary, text); \
    return filter;                                                             \
  }                                                                            \
  }                                                                            \
  std::unique_ptr<Filter> make_##operation(const MorphologyOptions& options) { \
    return operation##_filter().make(options);                                 \
  }
WHORL_MORPHOLOGY(erode, "Take the smallest pixel of a window", "Dark areas grow, per channel.")
WHORL_MORPHOLOGY(dilate, "Take the largest pixel of a window", "Bright areas grow, per channel.")
WHORL_MORPHOLOGY(open, "Remove bright spots smaller than a window", "Erode, then dilate.")
WHORL_MORPHOLOGY(close, "Fill dark spots smaller than a window", "Dilate, then erode.")
WHORL_MORPHOLOGY(gradient, "Show edges by the range of a window", "Dilate minus erode.")
WHORL_MORPHOLOGY(tophat, "Keep bright spots smaller than a window", "The image minus the result of open.")
WHORL_MORPHOLOGY(blackhat, "Keep dark spots smaller than a window", "The result of close minus the image.")
#undef WHORL_MORPHOLOGY

FilterDescriptor filters::erode_descriptor() { return erode_filter().build(); }
FilterDescriptor filters::dilate_descriptor() { return dilate_filter().build(); }
FilterDescriptor filters::open_descriptor() { return open_filter().build(); }
FilterDescriptor filters::close_descriptor() { return close_filter().build(); }
FilterDescriptor filters::gradient_descriptor() { return gradient_filter().build(); }
FilterDescriptor filters::tophat_descriptor() { return tophat_filter().build(); }
FilterDescriptor filters::blackhat_descriptor() { return blackhat_filter().build(); }

}  // namespace whorl
