// How the errors of the schemes fall with the distance of the points and with the length of the steps.
#pragma once

#include "studies/heat/modes.hpp"
#include "studies/results.hpp"

namespace whorl::studies::heat {

/// The temperature after the steps, in double, by plain loops. Explicit steps on the torus or between walls, implicit
/// ones between walls; on a line or in a plane.
Array<double> solve(const Context& host, const Setting& setting, Scheme scheme);

/// Errors of a solution, relative l2.
struct Errors {
  double equation;  ///< against the differential equation: of the points and of the steps
  double grid;      ///< against what is exact in time on this grid: of the steps
  double rounding;  ///< against what the scheme gives with all digits
};
Errors errors_of(const Context& host, const Setting& setting, Scheme scheme);

/// Twice as many points, again and again, for one time; explicit steps shorter in proportion to h^2, implicit ones to
/// h.
Table space_orders(const Context& host);

/// Steps of half the length, again and again, on one grid.
Table time_orders(const Context& host);

}  // namespace whorl::studies::heat
