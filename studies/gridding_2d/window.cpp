#include "studies/gridding_2d/window.hpp"

#include <cmath>

namespace whorl::studies::gridding_2d {

double table_value(double b, int entry, int per_cell) {
  const double t = (entry + 0.5) / per_cell;
  return std::exp(-t * t / b);
}

std::vector<float> window_table(double b, const Sizes& sizes) {
  std::vector<float> table;
  for (int i = 0; i < entries_of(sizes); ++i) table.push_back(static_cast<float>(table_value(b, i, sizes.entries)));
  return table;
}

std::string name_of(Lookup lookup) {
  switch (lookup) {
    case Lookup::distance:
      return "table, distance by a square root";
    case Lookup::estimated:
      return "table, distance estimated";
    case Lookup::axes:
      return "table for each axis, no distance";
    case Lookup::exact:
      break;
  }
  return "exp() at each point";
}

double window_value(Lookup lookup, double b, float dx, float dy, int per_cell) {
  const auto value = [&](float distance) { return table_value(b, entry_at(distance, per_cell), per_cell); };
  switch (lookup) {
    case Lookup::distance:
      return value(std::sqrt(dx * dx + dy * dy));
    case Lookup::estimated:
      return value(estimated_distance(dx, dy));
    case Lookup::axes:
      return value(std::abs(dx)) * value(std::abs(dy));
    case Lookup::exact:
      break;
  }
  return std::exp(-(double{dx} * dx + double{dy} * dy) / b);
}

double window_transform(double b, double f) {
  // The midpoint rule is off by h^2/24 times the difference of the slopes at both ends: below 1e-8 for the best b, some
  // 1e-5 for the listing's, whose images are off by more than they are.
  constexpr int steps = 512;
  constexpr double h = double{width} / steps;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = (i + 0.5) * h - 0.5 * width;
    sum += h * std::exp(-t * t / b) * std::cos(2 * std::numbers::pi * f * t);
  }
  return sum;
}

}  // namespace whorl::studies::gridding_2d
