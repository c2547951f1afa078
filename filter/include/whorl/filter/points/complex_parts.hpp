// Magnitude, phase, real and imaginary part of complex images.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct ComplexPartOptions {};

/// |z|, the square root of the sum of squares: within a relative 2e-7 while |z|^2 is in the range of float32. For real
/// images |v| of each color.
std::unique_ptr<Filter> make_magnitude(const ComplexPartOptions& options);
/// The angle of z in radians, -pi to pi. Complex images only (Unsupported), as the next two.
std::unique_ptr<Filter> make_phase(const ComplexPartOptions& options);
std::unique_ptr<Filter> make_real(const ComplexPartOptions& options);
std::unique_ptr<Filter> make_imaginary(const ComplexPartOptions& options);

}  // namespace whorl
