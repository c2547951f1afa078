// Figures of lines and dots, as PNG pictures.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/plot/picture.hpp"

namespace WHORL_PUBLIC whorl {

/// Colors that are distinct with any color vision.
/// Source  Okabe, Ito, "Color universal design: how to make figures and presentations that are friendly to colorblind
///         people" (2002)
enum class PlotColor { blue, vermillion, green, orange, sky, purple, black, gray };

enum class SeriesStyle { line, dots };

/// Points of one color. A point with a NaN coordinate is not drawn and breaks the line.
struct Series {
  std::vector<double> x{};
  std::vector<double> y{};
  SeriesStyle style = SeriesStyle::line;
  PlotColor color = PlotColor::blue;
  double size = 1.5;    ///< width of the line or diameter of the dots, in pixels of the picture
  std::string label{};  ///< in the legend; empty: no entry
};

enum class AxisScale {
  linear,
  logarithmic,  ///< for values above 0; all decades have the same length
};

/// Axes and series; later series cover earlier ones.
struct Panel {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  bool equal_aspect = false;  ///< a unit (or decade) has the same length along x and y; one range is then extended
  AxisScale x_scale = AxisScale::linear;
  AxisScale y_scale = AxisScale::linear;
  std::optional<std::array<double, 2>> x_range{};  ///< none: that of the points with a small margin
  std::optional<std::array<double, 2>> y_range{};
  std::vector<Series> series{};
};

struct Figure {
  std::string title{};
  std::vector<Panel> panels{};  ///< row by row
  int columns = 2;
  int panel_width = 520;  ///< in pixels, with its axes and labels
  int panel_height = 480;
};

/// Draws a figure, without a display.
///
/// Throws  ValueError (no panel or column; x and y of unequal length; infinite coordinates; a coordinate or range that
///         is not above 0 on a logarithmic axis; a range that is not finite and rising; a size that is not above 0;
///         panels below 200 or a picture above 16384 pixels per side), Cancelled
Picture draw_figure(const Context& ctx, const Figure& figure);

/// Draws a figure and writes it as an 8-bit RGB PNG, which appears under its name only when it is complete.
/// Throws as draw_figure, and IoError.
void write_figure(const Context& ctx, const std::filesystem::path& path, const Figure& figure);

}  // namespace whorl
