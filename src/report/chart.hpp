// Private: charts as SVG, in the colors of the page.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace whorl::report {

struct Chart {
  std::string title;  ///< also what a screen reader says
  std::string x_label;
  std::string y_label;
  bool log_x = false;  ///< values that are not above 0 are left out
  bool log_y = false;
  bool dots = false;
  bool equal_aspect = false;
  std::vector<std::vector<std::array<double, 2>>>
      lines{};  ///< (x, y); of many the first eight have colors of their own
};

/// <figure> with the chart; a sentence where there is nothing to draw.
std::string chart(const Chart& chart);

/// Horizontal bars with their values as text.
std::string bars(const std::string& title, const std::vector<std::pair<std::string, double>>& values,
                 const std::string& unit);

}  // namespace whorl::report
