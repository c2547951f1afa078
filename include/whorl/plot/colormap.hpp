// Colormaps: values from 0 to 1 as colors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// gray          black to white
/// hot           black, red, yellow, white
/// blue-yellow   dark blue over green to light yellow, with evenly growing lightness
/// blue-red      blue to white to red: for signed values, white at 0.5
/// cyclic        the hues in a circle at one lightness: for phases; 0 and 1 have the same color
enum class Colormap { gray, hot, blue_yellow, blue_red, cyclic };

std::string_view to_string(Colormap colormap);

/// The colormap with this text name. Throws ValueError, listing the names.
Colormap colormap_from_string(std::string_view name);

/// "gray, hot, blue-yellow, blue-red, cyclic"
std::string colormap_names();

/// Red, green and blue of sRGB, 0 to 255.
using Color = std::array<std::uint8_t, 3>;

/// The color of a value; values outside 0 to 1 are clipped.
///
/// Source  blue-yellow, blue-red and cyclic are paths through OKLab, a space of perceived lightness and hue: Ottosson,
///         "A perceptual color space for image processing" (2020)
Color color_of(Colormap colormap, double part);

}  // namespace whorl
