#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/decompositions.hpp"
#include "phantom/checks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"

namespace whorl {
namespace {

using Vector = Eigen::Vector3d;
using Complex = std::complex<double>;

constexpr double ring_radius = 1.6;  // all lengths in halves of the field of view
constexpr double loop_radius = 0.7;
constexpr double shift_z = 0.4;
constexpr double period = 2;    // of the exponentials in fields of view: larger than 1, so that no edge is forced equal
constexpr double ridge = 1e-7;  // of the mean square of an exponential: keeps the coefficients small
constexpr int segments = 48;
constexpr Index most_fitted_coils = 1024;

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

// The points of a cubic lattice of `count` points an axis, centered, that `keep` keeps.
template <class Keep>
std::vector<Vector> lattice(int dim, int count, double step, Keep keep) {
  std::vector<Vector> points;
  const double middle = (count - 1) / 2.0;
  for (int z = 0; z < (dim == 3 ? count : 1); ++z) {
    for (int y = 0; y < count; ++y) {
      for (int x = 0; x < count; ++x) {
        const Vector point(step * (x - middle), step * (y - middle), dim == 3 ? step * (z - middle) : 0);
        if (keep(point)) points.push_back(point);
      }
    }
  }
  return points;
}

}  // namespace

PhantomCoils make_phantom_coils(const Context& ctx, const std::array<Index, 3>& matrix, Index coils) {
  const int dim = detail::matrix_dim(matrix);
  if (coils < 1 || coils > most_fitted_coils) {
    throw ValueError(fmt::format("phantom coils: expected 1 to {} coils, got {}", most_fitted_coils, coils));
  }
  // The loops pass close to the corners of the field of view: a fit there would spoil the rest.
  const auto in_cylinder = [](const Vector& place) { return place.head<2>().norm() <= 1; };
  const std::vector<Vector> places = lattice(dim, dim == 3 ? 14 : 24, dim == 3 ? 2.0 / 14 : 2.0 / 24, in_cylinder);
  const std::vector<Vector> orders =
      lattice(dim, 7, 1, [&](const Vector& order) { return order.squaredNorm() <= (dim == 3 ? 8 : 10); });

  Eigen::MatrixXcd basis(places.size(), orders.size());
  for (Eigen::Index place = 0; place < basis.rows(); ++place) {
    for (Eigen::Index term = 0; term < basis.cols(); ++term) {
      // A length of 2 spans the field of view once, so an order has order / (2 period) cycles per unit of length.
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
  Eigen::MatrixXcd normal = basis.adjoint() * basis;
  normal.diagonal().array() += ridge * static_cast<double>(places.size());
  Eigen::MatrixXcd fit = detail::solve_semidefinite(normal, basis.adjoint() * fields);
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

PhantomCoils receive_coils(const Context& ctx, const std::array<Index, 3>& matrix, Index coils) {
  return coils == 0 ? uniform_phantom_coil(ctx, matrix) : make_phantom_coils(ctx, matrix, coils);
}

}  // namespace whorl
