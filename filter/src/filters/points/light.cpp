#include "filter/src/filters/points/light.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "whorl/core/error.hpp"

namespace whorl::filters {

void refuse_complex(const std::string& filter, const ImageFormat& input) {
  if (input.channels != Channels::complex) return;
  throw Unsupported(fmt::format("{}: takes gray or RGB images, got complex; apply 'magnitude' first", filter));
}

void take_gray_only(const std::string& filter, const ImageFormat& input) {
  refuse_complex(filter, input);
  if (input.channels == Channels::gray || input.channels == Channels::gray_alpha) return;
  throw Unsupported(
      fmt::format("{}: takes gray images, got {}; apply 'gray' first", filter, to_string(input.channels)));
}

void add_affine(PointProgram& program, double scale, double shift, double low, double high) {
  std::array<float, 4> scales{};
  std::array<float, 4> shifts{};
  scales.fill(static_cast<float>(scale));
  shifts.fill(static_cast<float>(shift));
  program.affine(scales, shifts, static_cast<float>(low), static_cast<float>(high));
}

void add_affine(PointProgram& program, double scale, double shift) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  add_affine(program, scale, shift, -infinity, infinity);
}

}  // namespace whorl::filters
