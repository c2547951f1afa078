#include "io/convert/readout_order.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace whorl::io {

namespace {

/// |k|^2 [shot, readout] of the first frame and partition; of each dimension relative to its largest.
std::vector<double> squared_radii(const LabeledArray& positions, bool complex) {
  const Index length = positions.extent("readout");
  const Index shots = positions.extent("shot");
  std::vector<double> radii(static_cast<std::size_t>(length * shots));
  for (Index row = 0; row < positions.extent("dim"); ++row) {
    std::vector<double> squares(radii.size());
    for (Index i = 0; i < std::ssize(squares); ++i) {
      const Index place = row * positions.stride("dim") + i / length * positions.stride("shot") +
                          i % length * positions.stride("readout");
      const std::complex<double> value = positions.values()[static_cast<std::size_t>(place)];
      squares[static_cast<std::size_t>(i)] = complex ? std::norm(value) : value.real() * value.real();
    }
    const double largest = *std::max_element(squares.begin(), squares.end());
    for (std::size_t i = 0; largest > 0 && i < squares.size(); ++i) radii[i] += squares[i] / largest;
  }
  return radii;
}

/// Sum of |difference| from one readout sample to the next, or from one shot to the next.
double variation(const std::vector<double>& radii, Index length, Index step) {
  double sum = 0;
  for (Index i = 0; i + step < std::ssize(radii); ++i) {
    if (step == 1 && (i + 1) % length == 0) continue;
    sum += std::abs(radii[static_cast<std::size_t>(i + step)] - radii[static_cast<std::size_t>(i)]);
  }
  return sum;
}

}  // namespace

ReadoutOrder readout_order(const LabeledArray& data, const LabeledArray& positions, bool complex_positions) {
  const Index length = data.extent("readout");
  if (length < 2 || data.extent("shot") != length) return ReadoutOrder::same;
  const std::vector<double> radii = squared_radii(positions, complex_positions);
  double same = 0;
  double swapped = 0;
  for (Index shot = 0; shot < length; ++shot) {
    for (Index i = 0; i < length; ++i) {
      double energy = 0;
      for (Index coil = 0; coil < data.extent("coil"); ++coil) {
        energy += std::norm(data.values()[static_cast<std::size_t>(
            coil * data.stride("coil") + shot * data.stride("shot") + i * data.stride("readout"))]);
      }
      same += energy * radii[static_cast<std::size_t>(shot * length + i)];
      swapped += energy * radii[static_cast<std::size_t>(i * length + shot)];
    }
  }
  constexpr double far_nearer = 0.25;
  if (!(swapped < far_nearer * same)) return ReadoutOrder::same;
  return variation(radii, length, 1) >= variation(radii, length, length) ? ReadoutOrder::data_swapped
                                                                         : ReadoutOrder::trajectory_swapped;
}

}  // namespace whorl::io
