#include "whorl/filter/points/complex_parts.hpp"

#include <fmt/format.h>

#include "filter/pipeline/filter_list.hpp"
#include "filter/pipeline/hooks.hpp"
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

}  // namespace

std::unique_ptr<Filter> make_magnitude(const ComplexPartOptions& /*options*/) {
  return std::make_unique<ComplexPart>("magnitude", Part::magnitude);
}
std::unique_ptr<Filter> make_phase(const ComplexPartOptions& /*options*/) {
  return std::make_unique<ComplexPart>("phase", Part::phase);
}
std::unique_ptr<Filter> make_real(const ComplexPartOptions& /*options*/) {
  return std::make_unique<ComplexPart>("real", Part::real);
}
std::unique_ptr<Filter> make_imaginary(const ComplexPartOptions& /*options*/) {
  return std::make_unique<ComplexPart>("imaginary", Part::imaginary);
}

FilterDescriptor filters::magnitude_descriptor() {
  return DescribeFilter<ComplexPartOptions>("magnitude", &make_magnitude)
      .summary("Magnitude of a complex image")
      .text("For real images the absolute value.")
      .build();
}

FilterDescriptor filters::phase_descriptor() {
  return DescribeFilter<ComplexPartOptions>("phase", &make_phase)
      .summary("Phase of a complex image")
      .text("In radians, -pi to pi.")
      .build();
}

FilterDescriptor filters::real_descriptor() {
  return DescribeFilter<ComplexPartOptions>("real", &make_real)
      .summary("Real part of a complex image")
      .text("As a gray image of float32.")
      .build();
}

FilterDescriptor filters::imaginary_descriptor() {
  return DescribeFilter<ComplexPartOptions>("imaginary", &make_imaginary)
      .summary("Imaginary part of a complex image")
      .text("As a gray image of float32.")
      .build();
}

}  // namespace whorl
