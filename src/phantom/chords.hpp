// Private: where a line along x enters and leaves a figure.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "whorl/phantom/figure.hpp"

namespace whorl::detail {

/// A figure made ready to be cut by many lines.
class Chords {
 public:
  Chords(const PhantomFigure& figure, int dim);

  /// The intervals of x that lie inside the figure on the line y, z, in order. In 2D z is not used.
  std::vector<std::pair<double, double>> at(double y, double z) const;

 private:
  std::vector<std::pair<double, double>> at(const Solid& solid, double y, double z) const;
  std::vector<std::pair<double, double>> at(const Contour& contour, double y, double z) const;

  PhantomFigure figure_;
  int dim_;
  std::vector<std::array<double, 2>> corners_;  // of a contour
};

}  // namespace whorl::detail
