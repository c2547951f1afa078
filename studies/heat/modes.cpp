#include "studies/heat/modes.hpp"

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace whorl::studies::heat {

namespace {

struct Mode {
  double amplitude;
  int kx;
  int ky;
};

constexpr Mode line_modes[] = {{1, 1, 0}, {0.5, 4, 0}};
// On the torus the mean stays as it is: without it everything would vanish in the end.
constexpr Mode torus_modes[] = {{1, 0, 0}, {0.6, 1, 2}, {0.4, 3, 1}};
constexpr Mode wall_modes[] = {{1, 1, 1}, {0.6, 1, 2}, {0.4, 4, 3}};

std::span<const Mode> modes_of(const Setting& setting) {
  if (setting.axes == 1) return line_modes;
  if (setting.domain == Domain::torus) return torus_modes;
  return wall_modes;
}

// w in sin(w k x).
double turns(const Setting& setting) { return (setting.domain == Domain::torus ? 2 : 1) * std::numbers::pi; }

// The eigenvalue of the second difference along one axis times h^2.
double second_difference(const Setting& setting, int k) {
  const double sine = std::sin(k * turns(setting) * setting.spacing() / 2);
  return -4 * sine * sine;
}

// A mode along one axis: a wall's is 0 there, the torus' begins anywhere.
std::vector<double> wave(const Setting& setting, int k) {
  std::vector<double> values;
  for (Index i = 0; i < setting.n; ++i) {
    const double x = static_cast<double>(setting.domain == Domain::torus ? i : i + 1) * setting.spacing();
    values.push_back(setting.domain == Domain::torus ? std::cos(turns(setting) * k * x - 0.3 * k)
                                                     : std::sin(turns(setting) * k * x));
  }
  return values;
}

}  // namespace

Decay continuous_decay(const Setting& setting) {
  return [setting](int kx, int ky) {
    const double w = turns(setting);
    return std::exp(-(kx * kx + ky * ky) * w * w * setting.time());
  };
}

Decay grid_decay(const Setting& setting) {
  return [setting](int kx, int ky) {
    const double eigenvalue = second_difference(setting, kx) + second_difference(setting, ky);
    return std::exp(eigenvalue * setting.rate * static_cast<double>(setting.steps));
  };
}

Decay discrete_decay(const Setting& setting, Scheme scheme) {
  return [setting, scheme](int kx, int ky) {
    const double x = setting.rate * second_difference(setting, kx);
    const double y = setting.rate * second_difference(setting, ky);
    double factor = 1 + x + y;
    if (scheme == Scheme::implicit_euler) factor = 1 / ((1 - x) * (1 - y));
    if (scheme == Scheme::crank_nicolson) factor = (1 + x / 2) / (1 - x / 2) * (1 + y / 2) / (1 - y / 2);
    return std::pow(factor, static_cast<double>(setting.steps));
  };
}

Array<double> temperature(const Context& host, const Setting& setting, const Decay& decay) {
  const Index n = setting.n;
  Array<double> values = zeros<double>(host, setting.axes == 1 ? Shape{n} : Shape{n, n});
  for (const Mode& mode : modes_of(setting)) {
    const double factor = mode.amplitude * decay(mode.kx, mode.ky);
    const std::vector<double> along_x = wave(setting, mode.kx);
    const std::vector<double> along_y = setting.axes == 1 ? std::vector<double>{1} : wave(setting, mode.ky);
    double* out = values.data();
    for (const double y : along_y) {
      for (const double x : along_x) *out++ += factor * y * x;
    }
  }
  return values;
}

Array<double> first_temperature(const Context& host, const Setting& setting) {
  return temperature(host, setting, [](int, int) { return 1.0; });
}

}  // namespace whorl::studies::heat
