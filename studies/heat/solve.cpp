#include <utility>

#include "studies/heat/line_steps.hpp"
#include "studies/heat/orders.hpp"

namespace whorl::studies::heat {

namespace {

// The second difference of a line's points, which lie `apart` numbers from each other, is added to `sum`.
void add_difference(const double* u, double* sum, Index n, Index apart, Domain domain) {
  const bool ring = domain == Domain::torus;
  for (Index i = 0; i < n; ++i) {
    const double before = i > 0 ? u[(i - 1) * apart] : (ring ? u[(n - 1) * apart] : 0);
    const double after = i + 1 < n ? u[(i + 1) * apart] : (ring ? u[0] : 0);
    sum[i * apart] += before + after - 2 * u[i * apart];
  }
}

void implicit_line(double* u, Index n, Index apart, const ImplicitRule& rule, const Elimination& elimination,
                   std::vector<double>& w) {
  double d = 0;
  for (Index i = 0; i < n; ++i) {
    d = elimination.scale[static_cast<std::size_t>(i)] * (u[i * apart] + rule.a * d);
    w[static_cast<std::size_t>(i)] = d;
  }
  double next = 0;
  for (Index i = n - 1; i >= 0; --i) {
    next = w[static_cast<std::size_t>(i)] + elimination.after[static_cast<std::size_t>(i)] * next;
    u[i * apart] = next + rule.beyond * (next - u[i * apart]);
  }
}

// Calls line(first point, distance of its points) for all lines along all axes.
template <class Line>
void along_axes(const Setting& setting, const Line& line) {
  const Index lines = setting.points() / setting.n;
  for (Index i = 0; i < lines; ++i) line(i * setting.n, 1);
  if (setting.axes == 2) {
    for (Index i = 0; i < lines; ++i) line(i, setting.n);
  }
}

}  // namespace

Array<double> solve(const Context& host, const Setting& setting, Scheme scheme) {
  Array<double> u = first_temperature(host, setting);
  const ImplicitRule rule = rule_of(scheme, setting.rate);
  const Elimination elimination = eliminate(setting.n, rule.a);
  std::vector<double> w(static_cast<std::size_t>(setting.n));
  for (Index step = 0; step < setting.steps; ++step) {
    host.check_cancel("heat");
    if (scheme == Scheme::explicit_euler) {
      Array<double> sum = zeros<double>(host, u.shape());
      along_axes(setting, [&](Index first, Index apart) {
        add_difference(u.data() + first, sum.data() + first, setting.n, apart, setting.domain);
      });
      for (Index i = 0; i < u.size(); ++i) u.data()[i] += setting.rate * sum.data()[i];
    } else {
      along_axes(setting, [&](Index first, Index apart) {
        implicit_line(u.data() + first, setting.n, apart, rule, elimination, w);
      });
    }
  }
  return u;
}

Errors errors_of(const Context& host, const Setting& setting, Scheme scheme) {
  const Array<double> u = solve(host, setting, scheme);
  const auto error = [&](const Decay& decay) { return relative_error(u, temperature(host, setting, decay)); };
  return {error(continuous_decay(setting)), error(grid_decay(setting)), error(discrete_decay(setting, scheme))};
}

}  // namespace whorl::studies::heat
