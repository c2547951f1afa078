// Code that filters of light share.
#pragma once

#include <string>

#include "filter/src/points/point_program.hpp"

namespace whorl::filters {

/// Throws Unsupported for complex images, naming the filter.
void refuse_complex(const std::string& filter, const ImageFormat& input);
/// Refuses all but gray images, with and without alpha.
void take_gray_only(const std::string& filter, const ImageFormat& input);

/// v -> scale v + shift for all colors of float32, within low and high.
void add_affine(PointProgram& program, double scale, double shift, double low, double high);
/// v -> scale v + shift without limits.
void add_affine(PointProgram& program, double scale, double shift);

}  // namespace whorl::filters
