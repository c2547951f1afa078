#include "whorl/filter/diffusion/heat.hpp"

#include <fmt/format.h>

#include <cmath>

#include "filter/src/filters/diffusion/diffuse_axes.hpp"
#include "filter/src/filters/points/float_image.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

// Half of the longest stable step: 1 - 2 d D dt (1 - cos k) stays above 0 for all frequencies.
constexpr double explicit_share = 0.5;
// D dt of implicit steps: a pattern of the highest frequency along an axis shrinks to (1 - 4)/(1 + 4) each time.
constexpr double implicit_reach = 2;
constexpr double most_steps = 1e6;

class Heat : public Filter {
 public:
  explicit Heat(const HeatOptions& options) : Filter("heat"), options_(options), steps_(steps_of(options)) {}

 private:
  static Index steps_of(const HeatOptions& options) {
    const double neighbors = options.volumes ? 6 : 4;
    const bool explicitly = options.method == HeatMethod::steps;
    const double longest = 1 / (neighbors * options.diffusivity);
    if (explicitly && options.step && *options.step > longest) {
      throw ValueError(fmt::format(
          "heat: an explicit step of {} is not stable, expected at most 1/({} D) = {}; take a shorter one or "
          "method=implicit",
          *options.step, neighbors, longest));
    }
    const double fallback = explicitly ? explicit_share * longest : implicit_reach / options.diffusivity;
    // A time that is a multiple of the step up to rounding takes no extra step.
    constexpr double slack = 1e-9;
    const double steps = std::ceil(options.time / options.step.value_or(fallback) * (1 - slack));
    if (!(steps <= most_steps)) {
      throw ValueError(fmt::format("heat: the time {} takes {} steps, expected at most {}; take longer steps{}",
                                   options.time, steps, most_steps, explicitly ? " by method=implicit" : ""));
    }
    return static_cast<Index>(steps);
  }

  ImageFormat do_output(const ImageFormat& input) const override { return input; }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const double offset = options_.border == Border::constant ? options_.border_value : 0;
    Array<float> image = filters::float_image(ctx, input, offset);
    if (steps_ > 0) {
      const double rate = options_.diffusivity * options_.time / static_cast<double>(steps_);
      if (options_.method == HeatMethod::steps) {
        kernels::heat_steps(ctx, input.format(), {options_.border, options_.volumes, steps_},
                            {static_cast<float>(rate)}, image);
      } else {
        filters::diffuse_axes(ctx, input.format(), options_.border, options_.volumes, steps_, rate / 2, 1,
                              image.data());
      }
    }
    filters::store_float(ctx, image, offset, result);
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    if (options_.method != HeatMethod::steps) return {0, input.height};
    return rows::within_reach(input, result, steps_, options_.border);
  }

  HeatOptions options_;
  Index steps_;
};

const auto& heat_filter() {
  static const auto filter =
      DescribeFilter<HeatOptions>("heat", [](const HeatOptions& options) { return std::make_unique<Heat>(options); })
          .summary("Diffuse an image for some time")
          .text(
              "du/dt = D laplace u: smooths like a Gaussian of variance 2 D time. Stability limits the steps of the "
              "explicit method, not those of the implicit one (alternating directions). The borders replicate and "
              "wrap keep the sum of the image; reflect keeps the sum in which pixels at the edge count half.")
          .real("time", &HeatOptions::time, {0, 1e9}, "pixels^2", "duration of the diffusion")
          .real("step", &HeatOptions::step, OptionRange::more_than(0).up_to(1e9), "pixels^2", "the longest step",
                "explicit: half of what is stable; implicit: 2/D")
          .real("diffusivity", &HeatOptions::diffusivity, OptionRange::more_than(0).up_to(1e9), "", "D")
          .choice<HeatMethod>("method", &HeatOptions::method,
                              {{"explicit", HeatMethod::steps}, {"implicit", HeatMethod::implicit}},
                              "kind of time steps", false)
          .choice<bool>("dims", &HeatOptions::volumes, {{"2d", false}, {"3d", true}},
                        "slice by slice, or across slices too", false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_heat(const HeatOptions& options) { return heat_filter().make(options); }

FilterDescriptor filters::heat_descriptor() { return heat_filter().build(); }

}  // namespace whorl
