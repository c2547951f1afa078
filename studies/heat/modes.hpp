// Temperatures as sums of eigenmodes, which are known at any time, exactly and for every scheme.
#pragma once

#include <cmath>
#include <functional>

#include "whorl/core/array.hpp"

namespace whorl::studies::heat {

/// The domain: du/dt = D laplace u on an interval or a square of side 1, D = 1.
enum class Domain {
  torus,  ///< periodic; n points at i/n
  walls,  ///< 0 at the walls; n points at (i + 1)/(n + 1)
};

enum class Scheme {
  explicit_euler,
  implicit_euler,
  crank_nicolson,  ///< in a plane along each axis: Peaceman and Rachford's alternating directions
};

/// A grid with its time steps. A step depends on both only through r = dt/h^2.
struct Setting {
  Domain domain = Domain::torus;
  int axes = 2;
  Index n = 0;        ///< points along an axis
  double rate = 0.2;  ///< r
  Index steps = 1;

  double spacing() const { return 1.0 / static_cast<double>(domain == Domain::torus ? n : n + 1); }
  double time_step() const { return rate * spacing() * spacing(); }
  double time() const { return static_cast<double>(steps) * time_step(); }
  Index points() const { return axes == 1 ? n : n * n; }
};

/// The factor by which a mode of wave numbers kx and ky (0 on a line) decays.
using Decay = std::function<double(int kx, int ky)>;

/// exp(-(kx^2 + ky^2) w^2 t), w = 2 pi on the torus, pi between walls: the equation's.
Decay continuous_decay(const Setting& setting);
/// continuous_decay with the eigenvalue of the second differences, -4 sin^2(k w h/2)/h^2, for -k^2 w^2: exact in time.
Decay grid_decay(const Setting& setting);
/// The decay by the steps of a scheme, without rounding.
Decay discrete_decay(const Setting& setting, Scheme scheme);

/// The modes, each times its decay. Two on a line and three in a plane, none of which is symmetric in x and y.
/// Shapes  [y, x] or [x]
Array<double> temperature(const Context& host, const Setting& setting, const Decay& decay);
/// At time 0.
Array<double> first_temperature(const Context& host, const Setting& setting);

/// ||a - b|| / ||b|| of arrays of any type on the host.
template <class A>
double relative_error(const Array<A>& a, const Array<double>& b) {
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < b.size(); ++i) {
    const double apart = static_cast<double>(a.data()[i]) - b.data()[i];
    difference += apart * apart;
    total += b.data()[i] * b.data()[i];
  }
  return std::sqrt(difference / total);
}

}  // namespace whorl::studies::heat
