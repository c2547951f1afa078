#include "studies/heat/orders.hpp"

#include <array>
#include <cmath>
#include <string>

namespace whorl::studies::heat {

namespace {

struct Case {
  const char* name;
  Domain domain;
  int axes;
  Scheme scheme;
  double longest;  ///< r of the first row in time
};

// On the torus and between walls; a plane's torus has waves of more turns, which fall faster.
constexpr std::array cases{Case{"line, explicit", Domain::walls, 1, Scheme::explicit_euler, 0.48},
                           Case{"line, implicit (Euler)", Domain::walls, 1, Scheme::implicit_euler, 16},
                           Case{"line, Crank-Nicolson", Domain::walls, 1, Scheme::crank_nicolson, 16},
                           Case{"plane, explicit, torus", Domain::torus, 2, Scheme::explicit_euler, 0.24},
                           Case{"plane, alternating directions", Domain::walls, 2, Scheme::crank_nicolson, 4}};

constexpr int refinements = 4;

double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace

Table space_orders(const Context& host) {
  Table table{
      "orders_space",
      "Errors for points twice as close (double; relative l2)",
      {"scheme", "points", "dt/h^2", "steps", "against the equation", "order", "of the steps alone", "rounding"},
      {}};
  for (const Case& one : cases) {
    const bool explicitly = one.scheme == Scheme::explicit_euler;
    double before = 0;
    for (int level = 0; level < refinements; ++level) {
      const Index intervals = Index{16} << level;
      // Explicit: dt ~ h^2, four times as many steps; implicit: dt ~ h, twice as many.
      constexpr double explicit_rate = 0.2;
      const double finer = std::ldexp(1.0, level);
      const Setting setting{.domain = one.domain,
                            .axes = one.axes,
                            .n = one.domain == Domain::torus ? intervals : intervals - 1,
                            .rate = explicitly ? explicit_rate : finer / 8,
                            .steps = explicitly ? Index{10} << 2 * level : Index{16} << level};
      const Errors errors = errors_of(host, setting, one.scheme);
      table.rows.push_back({one.name, static_cast<double>(setting.n), setting.rate, static_cast<double>(setting.steps),
                            errors.equation, level > 0 ? Cell(order(before, errors.equation)) : Cell(), errors.grid,
                            errors.rounding});
      before = errors.equation;
    }
  }
  return table;
}

Table time_orders(const Context& host) {
  Table table{
      "orders_time",
      "Errors for steps half as long on one grid (double; relative l2)",
      {"scheme", "points", "dt/h^2", "steps", "of the steps alone", "order", "against the equation", "rounding"},
      {}};
  for (const Case& one : cases) {
    double before = 0;
    for (int level = 0; level < refinements; ++level) {
      constexpr Index points = 48;
      const Setting setting{.domain = one.domain,
                            .axes = one.axes,
                            .n = points,
                            .rate = std::ldexp(one.longest, -level),
                            .steps = Index{8} << level};
      const Errors errors = errors_of(host, setting, one.scheme);
      table.rows.push_back({one.name, static_cast<double>(setting.n), setting.rate, static_cast<double>(setting.steps),
                            errors.grid, level > 0 ? Cell(order(before, errors.grid)) : Cell(), errors.equation,
                            errors.rounding});
      before = errors.grid;
    }
  }
  return table;
}

}  // namespace whorl::studies::heat
