#include "whorl/filter/points/gamma.hpp"

#include <cmath>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr double least_exponent = 0.01;
constexpr double largest_exponent = 100;

class Gamma : public filters::PointFilter {
 public:
  explicit Gamma(const GammaOptions& options) : PointFilter("gamma"), options_(options) {}

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    PointProgram program(input);
    const double full = full_scale(input.type);
    if (program.is_integer()) {
      program.map([&](double v) { return full * std::pow(v / full, options_.exponent); });
    } else {
      program.power(static_cast<float>(options_.exponent));
    }
    return program;
  }

  GammaOptions options_;
};

const auto& gamma_filter() {
  static const auto filter =
      DescribeFilter<GammaOptions>("gamma",
                                   [](const GammaOptions& options) { return std::make_unique<Gamma>(options); })
          .summary("Raise light to a power")
          .text(
              "Each color v becomes full (v / full)^exponent, where full is 255, 65535 or 1. Exponents below 1 "
              "brighten. Numbers below 0 keep their sign.")
          .real("exponent", &GammaOptions::exponent, {least_exponent, largest_exponent}, "", "of the power");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_gamma(const GammaOptions& options) { return gamma_filter().make(options); }

FilterDescriptor filters::gamma_descriptor() { return gamma_filter().build(); }

}  // namespace whorl
