// Eigen would start threads of its own, whatever the context says.
#define EIGEN_DONT_PARALLELIZE

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "phantom/checks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"

namespace whorl {
namespace {

using Vector = Eigen::Vector3d;
using Complex = std::complex<double>;

constexpr double ring_radius = 1.4;  // all lengths in halves of the field of view
constexpr double loop_radius = 0.5;
constexpr double shift_z = 0.4;
constexpr double period = 1.5;  // of the exponentials in fields of view: larger than 1, so that no edge is forced equal
constexpr int segments = 48;
constexpr Index most_coils = 1024;

// Transverse magnetic field B_x - i B_y of a unit current in a loop that faces the z axis, up to a constant factor.
Complex loop_field(double angle, double height, const Vector& place) {
  const Vector outwards(std::cos(angle), std::sin(angle), 0);
  const Vector along(-std::sin(angle), std::cos(angle), 0);
  const Vector up(0, 0, 1);
  Vector field = Vector::Zero();
  for (int segment = 0; segment < segments; ++segment) {
    const double turn = 2 * std::numbers::pi * (segment + 0.5) / segments;
    const Vector wire =
        ring_radius * outwards + height * up + loop_radius * (std::cos(turn) * along + std::sin(turn) * up);
    const Vector current = -std::sin(turn) * along + std::cos(turn) * up;
    const Vector distance = place - wire;
    field += current.cross(distance) / std::pow(distance.norm(), 3);
  }
  return {field.x(), -field.y()};
}

// Points evenly spread over the field of view, and the exponentials' indices.
std::vector<Vector> lattice(int per_axis, int per_z, double step) {
  std::vector<Vector> points;
  for (int z = 0; z < per_z; ++z) {
    for (int y = 0; y < per_axis; ++y) {
      for (int x = 0; x < per_axis; ++x) {
        points.emplace_back(step * (x - (per_axis - 1) / 2.0), step * (y - (per_axis - 1) / 2.0),
                            step * (z - (per_z - 1) / 2.0));
      }
    }
  }
  return points;
}

}  // namespace

PhantomCoils make_phantom_coils(const Context& ctx, const std::array<Index, 3>& matrix, Index coils) {
  const int dim = detail::matrix_dim(matrix);
  if (coils < 1 || coils > most_coils) {
    throw ValueError(fmt::format("phantom coils: expected 1 to {} coils, got {}", most_coils, coils));
  }
  const std::vector<Vector> places = dim == 3 ? lattice(10, 10, 0.2) : lattice(20, 1, 0.1);
  const std::vector<Vector> orders = dim == 3 ? lattice(5, 3, 1) : lattice(5, 1, 1);

  Eigen::MatrixXcd basis(places.size(), orders.size());
  for (Eigen::Index place = 0; place < basis.rows(); ++place) {
    for (Eigen::Index term = 0; term < basis.cols(); ++term) {
      // A place of 2 spans the field of view once, so an order has order / (2 period) cycles per unit of place.
      const double cycles = orders[static_cast<std::size_t>(term)].dot(places[static_cast<std::size_t>(place)]);
      basis(place, term) = std::polar(1.0, std::numbers::pi / period * cycles);
    }
  }
  Eigen::MatrixXcd fields(places.size(), coils);
  for (Eigen::Index coil = 0; coil < coils; ++coil) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(coil) / static_cast<double>(coils);
    const double height = dim == 2 ? 0 : (coil % 2 == 0 ? shift_z : -shift_z);
    for (Eigen::Index place = 0; place < fields.rows(); ++place) {
      fields(place, coil) = loop_field(angle, height, places[static_cast<std::size_t>(place)]);
    }
  }
  Eigen::MatrixXcd fit = basis.colPivHouseholderQr().solve(fields);
  fit /= (basis * fit).norm() / std::sqrt(static_cast<double>(places.size()));

  const auto terms = static_cast<Index>(orders.size());
  PhantomCoils result{matrix, Array<double>(ctx, {terms, dim}), Array<Complex>(ctx, {coils, terms})};
  const auto q = result.frequencies.view<2>();
  const auto a = result.coefficients.view<2>();
  for (Index term = 0; term < terms; ++term) {
    for (Index axis = 0; axis < dim; ++axis) {
      q(term, axis) = orders[static_cast<std::size_t>(term)](axis) /
                      (period * static_cast<double>(matrix[static_cast<std::size_t>(axis)]));
    }
    for (Index coil = 0; coil < coils; ++coil) a(coil, term) = fit(term, coil);
  }
  return result;
}

}  // namespace whorl
