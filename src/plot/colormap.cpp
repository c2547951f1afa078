#include "whorl/plot/colormap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

struct MapName {
  std::string_view text;
  Colormap colormap;
};
constexpr std::array names{MapName{"gray", Colormap::gray}, MapName{"hot", Colormap::hot},
                           MapName{"blue-yellow", Colormap::blue_yellow}, MapName{"blue-red", Colormap::blue_red},
                           MapName{"cyclic", Colormap::cyclic}};

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0))); }

// sRGB's transfer function (IEC 61966-2-1).
double encoded(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

// Lightness 0 to 1, chroma, and hue in degrees.
Color from_oklab(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue * std::numbers::pi / 180);
  const double b = chroma * std::sin(hue * std::numbers::pi / 180);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {byte_of(encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
          byte_of(encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
          byte_of(encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s))};
}

Color hot(double part) { return {byte_of(8.0 / 3 * part), byte_of(8.0 / 3 * part - 1), byte_of(4 * part - 3)}; }

Color blue_yellow(double part) {
  // Chroma stays within what sRGB shows along these hues.
  return from_oklab(0.22 + 0.73 * part, 0.10 + 0.05 * std::sin(std::numbers::pi * part), 285 - 180 * part);
}

Color blue_red(double part) {
  const double distance = std::abs(2 * part - 1);
  return from_oklab(0.97 - 0.47 * distance, 0.19 * distance, part < 0.5 ? 262 : 27);
}

Color cyclic(double part) { return from_oklab(0.72, 0.12, 360 * part); }

}  // namespace

std::string_view to_string(Colormap colormap) {
  return std::find_if(names.begin(), names.end(), [&](const MapName& name) { return name.colormap == colormap; })->text;
}

Colormap colormap_from_string(std::string_view name) {
  const auto* const found = std::find_if(names.begin(), names.end(), [&](const MapName& n) { return n.text == name; });
  if (found == names.end()) {
    throw ValueError(fmt::format("colormap: '{}' is not known; expected one of {}", name, colormap_names()));
  }
  return found->colormap;
}

std::string colormap_names() {
  std::string list;
  for (const MapName& name : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", name.text);
  return list;
}

Color color_of(Colormap colormap, double part) {
  part = std::clamp(part, 0.0, 1.0);
  switch (colormap) {
    case Colormap::hot:
      return hot(part);
    case Colormap::blue_yellow:
      return blue_yellow(part);
    case Colormap::blue_red:
      return blue_red(part);
    case Colormap::cyclic:
      return cyclic(part);
    default:
      return {byte_of(part), byte_of(part), byte_of(part)};
  }
}

}  // namespace whorl
