#include "whorl/filter/points/window.hpp"

#include <fmt/format.h>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Window : public filters::PointFilter {
 public:
  explicit Window(const WindowOptions& options) : PointFilter("window"), options_(options) {
    if (options.center.has_value() != options.width.has_value()) {
      throw ValueError("window: center and width belong together, got only one of them");
    }
    if (options.low && options.high) check_range(*options.low, *options.high);
    if (!options.center) return;
    if (options.low || options.high) throw ValueError("window: expected low and high, or center and width, got both");
    options_.low = *options.center - *options.width / 2;
    options_.high = *options.center + *options.width / 2;
  }

 private:
  static void check_range(double low, double high) {
    if (low == high) throw ValueError(fmt::format("window: low and high are both {}, expected a range", low));
  }

  PointProgram do_points(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    const double full = full_scale(input.type);
    const double low = options_.low.value_or(0);
    const double high = options_.high.value_or(full);
    check_range(low, high);
    PointProgram program(input);
    if (program.is_integer()) {
      program.map([&](double v) { return (v - low) * full / (high - low); });
    } else {
      filters::add_affine(program, 1 / (high - low), -low / (high - low), 0, 1);
    }
    return program;
  }

  WindowOptions options_;
};

const auto& window_filter() {
  static const auto filter =
      DescribeFilter<WindowOptions>("window",
                                    [](const WindowOptions& options) { return std::make_unique<Window>(options); })
          .summary("Stretch a range of numbers to full scale")
          .text(
              "low becomes 0 and high becomes full scale (255, 65535, 1). Numbers outside are clipped, float32 too. "
              "center and width may be given instead of low and high, as in viewers of medical images.")
          .real("low", &WindowOptions::low, {}, "", "becomes 0", "0")
          .real("high", &WindowOptions::high, {}, "", "becomes full scale", "full scale")
          .real("center", &WindowOptions::center, {}, "", "middle of the range, in place of low", "none")
          .real("width", &WindowOptions::width, OptionRange::more_than(0), "", "of the range, in place of high",
                "none");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_window(const WindowOptions& options) { return window_filter().make(options); }

FilterDescriptor filters::window_descriptor() { return window_filter().build(); }

}  // namespace whorl
