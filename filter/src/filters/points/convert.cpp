#include "whorl/filter/points/convert.hpp"

#include <cmath>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Convert : public filters::PointFilter {
 public:
  explicit Convert(const PixelTypeOptions& options) : PointFilter("convert"), options_(options) {}

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    PointProgram program(input);
    if (input.type == options_.type) return program;
    filters::refuse_complex(name(), input);
    if (!program.is_integer()) {
      program.quantize(options_.type);
      return program;
    }
    const double factor = full_scale(options_.type);
    const double full = full_scale(input.type);
    const bool rounds = options_.type != PixelType::float32;
    program.map_to(options_.type, [&](float v) {
      const double scaled = static_cast<double>(v) * factor / full;
      return static_cast<float>(rounds ? std::floor(scaled + 0.5) : scaled);
    });
    return program;
  }

  PixelTypeOptions options_;
};

const auto& convert_filter() {
  static const auto filter =
      DescribeFilter<PixelTypeOptions>(
          "convert", [](const PixelTypeOptions& options) { return std::make_unique<Convert>(options); })
          .summary("Change the type of numbers")
          .text("Full scale (255, 65535, 1) becomes full scale; integers are rounded and clipped.")
          .choice<PixelType>(
              "type", &PixelTypeOptions::type,
              {{"uint8", PixelType::uint8}, {"uint16", PixelType::uint16}, {"float32", PixelType::float32}},
              "of the result");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_convert(const PixelTypeOptions& options) { return convert_filter().make(options); }

FilterDescriptor filters::convert_descriptor() { return convert_filter().build(); }

}  // namespace whorl
