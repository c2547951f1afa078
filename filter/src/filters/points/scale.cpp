#include "whorl/filter/points/scale.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Scale : public filters::PointFilter {
 public:
  explicit Scale(const ScaleOptions& options) : PointFilter("scale"), options_(options) {}

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

const auto& scale_filter() {
  constexpr auto largest = static_cast<double>(std::numeric_limits<float>::max());
  static const auto filter =
      DescribeFilter<ScaleOptions>("scale",
                                   [](const ScaleOptions& options) { return std::make_unique<Scale>(options); })
          .summary("Multiply numbers by a factor and add an offset")
          .text("Each color v becomes factor v + offset. The offset of complex images is added to the real part.")
          .real("factor", &ScaleOptions::factor, {-largest, largest}, "", "multiplies all numbers")
          .that_is("0 or of at least 1.2e-38 in magnitude, which float32 holds",
                   [](double factor) { return factor == 0 || std::abs(factor) >= std::numeric_limits<float>::min(); })
          .real("offset", &ScaleOptions::offset, {}, "", "is added, in the image's numbers");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_scale(const ScaleOptions& options) { return scale_filter().make(options); }

FilterDescriptor filters::scale_descriptor() { return scale_filter().build(); }

}  // namespace whorl
