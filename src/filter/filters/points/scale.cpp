#include "whorl/filter/points/scale.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "filter/filters/points/light.hpp"
#include "filter/pipeline/filter_list.hpp"
#include "filter/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Scale : public filters::PointFilter {
 public:
  explicit Scale(const ScaleOptions& options) : PointFilter("scale"), options_(options) {
    using Limits = std::numeric_limits<float>;
    const double size = std::abs(options.factor);
    if (size == 0 || (size >= Limits::min() && size <= Limits::max())) return;
    throw ValueError(fmt::format("scale: factor {}, expected 0 or a magnitude that float32 holds, {:.1e} to {:.1e}",
                                 options.factor, Limits::min(), Limits::max()));
  }

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    PointProgram program(input);
    if (program.is_integer()) {
      program.map([&](double v) { return options_.factor * v + options_.offset; });
    } else if (input.channels == Channels::complex) {
      constexpr float infinity = std::numeric_limits<float>::infinity();
      const auto factor = static_cast<float>(options_.factor);
      program.affine(std::array{factor, factor}, std::array{static_cast<float>(options_.offset), 0.0F}, -infinity,
                     infinity);
    } else {
      filters::add_affine(program, options_.factor, options_.offset);
    }
    return program;
  }

  ScaleOptions options_;
};

}  // namespace

std::unique_ptr<Filter> make_scale(const ScaleOptions& options) { return std::make_unique<Scale>(options); }

FilterDescriptor filters::scale_descriptor() {
  return DescribeFilter<ScaleOptions>("scale", &make_scale)
      .summary("Multiply numbers by a factor and add an offset")
      .text("Each color v becomes factor v + offset. The offset of complex images is added to the real part.")
      .real("factor", &ScaleOptions::factor, {}, "", "multiplies all numbers")
      .real("offset", &ScaleOptions::offset, {}, "", "is added, in the image's numbers")
      .build();
}

}  // namespace whorl
