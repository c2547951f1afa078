// Bar charts: horizontal bars with a name on the left and text on the right.
#pragma once

#include <string>
#include <vector>

#include "whorl/plot/figure.hpp"
#include "whorl/plot/picture.hpp"

namespace WHORL_PUBLIC whorl {

struct Bar {
  std::string name;
  double value = 0;  ///< NaN: no bar, only the text
  std::string words{};
  PlotColor color = PlotColor::blue;
};

struct BarChart {
  std::string title{};
  std::string value_label{};  ///< the quantity, with its unit
  AxisScale scale = AxisScale::linear;
  std::vector<Bar> bars{};
  int width = 900;  ///< of the picture in pixels; its height follows from the bars
};

/// Draws the chart on white. On a linear axis bars begin at 0, on a logarithmic one at the power of ten below the
/// smallest value.
/// Throws  ValueError (no bar; a value that is infinite, not above 0 (logarithmic) or below 0 (linear); a width outside
///         400 to 16384 or too narrow for the names)
Picture draw_bar_chart(const BarChart& chart);

}  // namespace whorl
