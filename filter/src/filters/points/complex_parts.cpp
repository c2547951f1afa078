#include "whorl/filter/points/complex_parts.hpp"

#include <fmt/format.h>

#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

enum class Part { magnitude, phase, real, imaginary };

class ComplexPart : public filters::PointFilter {
 public:
  ComplexPart(std::string name, Part part) : PointFilter(std::move(name)), part_(part) {}

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    PointProgram program(input);
    if (input.channels != Channels::complex) {
      if (part_ != Part::magnitude) {
        throw Unsupported(fmt::format("{}: takes complex images, got {}", name(), to_string(input)));
      }
      if (!program.is_integer()) program.absolute();
      return program;
    }
    switch (part_) {
      case Part::magnitude:
        program.magnitude();
        break;
      case Part::phase:
        program.phase();
        break;
      case Part::real:
        program.part(0);
        break;
      default:
        program.part(1);
    }
    return program;
  }

  Part part_;
};

DescribeFilter<ComplexPartOptions> described(const char* name, Part part, const std::string& summary,
                                             const std::string& text) {
  const auto make = [name, part](const ComplexPartOptions& /*options*/) {
    return std::make_unique<ComplexPart>(name, part);
  };
  return DescribeFilter<ComplexPartOptions>(name, make).summary(summary).text(text);
}

const auto& magnitude_filter() {
  static const auto filter =
      described("magnitude", Part::magnitude, "Magnitude of a complex image", "For real images the absolute value.");
  return filter;
}

const auto& phase_filter() {
  static const auto filter = described("phase", Part::phase, "Phase of a complex image", "In radians, -pi to pi.");
  return filter;
}

const auto& real_filter() {
  static const auto filter =
      described("real", Part::real, "Real part of a complex image", "As a gray image of float32.");
  return filter;
}

const auto& imaginary_filter() {
  static const auto filter =
      described("imaginary", Part::imaginary, "Imaginary part of a complex image", "As a gray image of float32.");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_magnitude(const ComplexPartOptions& options) { return magnitude_filter().make(options); }
FilterDescriptor filters::magnitude_descriptor() { return magnitude_filter().build(); }

std::unique_ptr<Filter> make_phase(const ComplexPartOptions& options) { return phase_filter().make(options); }
FilterDescriptor filters::phase_descriptor() { return phase_filter().build(); }

std::unique_ptr<Filter> make_real(const ComplexPartOptions& options) { return real_filter().make(options); }
FilterDescriptor filters::real_descriptor() { return real_filter().build(); }

std::unique_ptr<Filter> make_imaginary(const ComplexPartOptions& options) { return imaginary_filter().make(options); }
FilterDescriptor filters::imaginary_descriptor() { return imaginary_filter().build(); }

}  // namespace whorl
