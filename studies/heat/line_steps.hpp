// The heat equation on a line between walls: implicit steps by ways to solve a tridiagonal system.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/heat/modes.hpp"

namespace whorl::studies::heat {

/// A step is u <- w + beyond (w - u), where w - a (second difference of w) = u: Euler's implicit step for a = r and
/// beyond = 0, that of Crank and Nicolson for a = r/2 and beyond = 1.
struct ImplicitRule {
  double a;
  double beyond;
};
ImplicitRule rule_of(Scheme scheme, double rate);

/// The elimination (Thomas) of the system, whose matrix is the same for every line and step:
/// d[i] = scale[i] (u[i] + a d[i - 1]) upwards, then w[i] = d[i] + after[i] w[i + 1] downwards.
struct Elimination {
  std::vector<double> scale;
  std::vector<double> after;
};
Elimination eliminate(Index n, double a);

/// Cyclic reduction of the same system: an equation and its two neighbors, each times the factor, give one whose
/// neighbors are twice as far. The system goes on beyond the walls with the other sign, so that all its equations are
/// alike: a factor for each level, and none where the neighbors are below rounding already.
struct Reduction {
  std::vector<double> factors;
  double scale;  ///< of what is left in the end
};
/// Factors down to `precision`.
Reduction reduce(double a, double precision);

/// u [n] after the steps, from `first`; both on the context's device.
struct LineJob {
  ArrayRef<const double> first;
  ArrayRef<double> last;
  ImplicitRule rule;
  Index steps;
};

struct LineStep {
  std::string name;
  std::function<void(const Context&, const LineJob&)> run;
  bool product = false;
};

/// From the first to the fastest, the library's kernel last.
std::vector<LineStep> line_steps(const Context& ctx);

std::vector<LineStep> host_line_steps();
/// Empty where whorl is built without kernels for a GPU.
std::vector<LineStep> gpu_line_steps();
/// Step for any device; in float.
LineStep library_line_step();

}  // namespace whorl::studies::heat
