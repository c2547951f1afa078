#include "whorl/filter/diffusion/perona_malik.hpp"

#include <fmt/format.h>

#include "filter/src/filters/points/float_image.hpp"
#include "filter/src/kernels/diffusion/diffusion.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr double edge_share = 0.05;

class PeronaMalik : public filters::RepeatableFilter {
 public:
  explicit PeronaMalik(const PeronaMalikOptions& options) : RepeatableFilter("perona-malik"), options_(options) {
    const int neighbors = options.volumes ? 6 : 4;
    step_ = options.step.value_or(1.0 / (neighbors + 1));
    if (!(step_ > 0 && step_ <= 1.0 / neighbors)) {
      throw ValueError(
          fmt::format("perona-malik: a step of {} is not stable, expected more than 0 and at most 1/{}; take more and "
                      "shorter steps",
                      step_, neighbors));
    }
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const double offset = options_.border == Border::constant ? options_.border_value : 0;
    const double edge = options_.edge.value_or(edge_share * full_scale(input.format().type));
    Array<float> image = filters::float_image(ctx, input, offset);
    kernels::perona_malik_steps(ctx, input.format(), {options_.border, options_.volumes, options_.steps},
                                {static_cast<float>(step_), static_cast<float>(1 / (edge * edge)),
                                 options_.conduction == Conduction::exponential},
                                image);
    filters::store_float(ctx, image, offset, result);
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    return rows::within_reach(input, result, options_.steps, options_.border);
  }

  PeronaMalikOptions options_;
  double step_ = 0;
};

const auto& perona_malik_filter() {
  static const auto filter =
      DescribeFilter<PeronaMalikOptions>(
          "perona-malik", [](const PeronaMalikOptions& options) { return std::make_unique<PeronaMalik>(options); })
          .summary("Smooth an image and keep its edges")
          .text(
              "Diffusion that is slower where neighbors differ: by a factor exp(-(s/K)^2) or 1/(1 + (s/K)^2) for a "
              "difference s. All channels of a pixel have one factor. Perona and Malik, IEEE PAMI 12:629 (1990).")
          .integer("steps", &PeronaMalikOptions::steps, {0, 100000}, "", "number of steps")
          .real("edge", &PeronaMalikOptions::edge, OptionRange::more_than(0).up_to(1e30), "in the image's numbers",
                "K: the difference that is an edge", "5 % of the full scale")
          .real("step", &PeronaMalikOptions::step, OptionRange::more_than(0).up_to(0.25), "pixels^2",
                "length of a step", "1/5 in two dimensions, 1/7 in three")
          .choice<Conduction>("conduction", &PeronaMalikOptions::conduction,
                              {{"exponential", Conduction::exponential}, {"rational", Conduction::rational}},
                              "how diffusion falls with the difference", false)
          .choice<bool>("dims", &PeronaMalikOptions::volumes, {{"2d", false}, {"3d", true}},
                        "slice by slice, or across slices too", false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_perona_malik(const PeronaMalikOptions& options) {
  return perona_malik_filter().make(options);
}

FilterDescriptor filters::perona_malik_descriptor() { return perona_malik_filter().build(); }

}  // namespace whorl
