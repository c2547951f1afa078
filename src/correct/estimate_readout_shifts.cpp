#include "whorl/correct/estimate_readout_shifts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "correct/center_fit.hpp"
#include "correct/center_waves.hpp"
#include "correct/delays/readout_prediction.hpp"
#include "math/column_product.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl {

namespace {

using CoilValues = detail::Matrix<double>;
using Columns = Eigen::MatrixXd;
using Shifts = std::vector<std::array<double, 3>>;

constexpr Index most_readouts = 1000;
constexpr Index most_center_samples = 6000;
constexpr Index most_virtual_coils = 3;
constexpr double image_ridge = 1e-6;  // of the mean square of the rows, as in center_fit
constexpr int most_rounds = 30;
constexpr double settled_change = 1e-4;  // cycles per field of view
constexpr double most_change = 0.25;     // an object of the size of the view is like itself within half a cycle
constexpr double most_uncertainty = 0.1;
constexpr double significant = 5;             // standard deviations
constexpr double left_without_noise = 0.003;  // of the signal: what fits of good scans without noise leave

// The samples near the center of k-space.
struct ReadoutCenter {
  int dim = 2;
  Index grid = 0;
  detail::CenterPlaces places;
  std::vector<Index> readouts;  // of each sample, rising
  Columns values;               // [sample, part], real and imaginary parts of virtual coils, of unit norm

  Index count() const { return static_cast<Index>(places.size()); }
};

Index checked_readouts(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  const Index readouts = length > 0 ? trajectory.samples() / length : 0;
  if (readouts < 2 || readouts > most_readouts || readouts * length != trajectory.samples()) {
    throw ValueError(fmt::format("shifts of readouts: {}; expected 2 to {} readouts of known and equal length",
                                 length > 0 ? fmt::format("{} samples in readouts of {}", trajectory.samples(), length)
                                            : "readouts of unknown length",
                                 most_readouts));
  }
  return readouts;
}

ReadoutCenter samples_near_center(const Trajectory& trajectory, ArrayRef<const std::complex<float>> data,
                                  const Shape& image, Index readouts) {
  ReadoutCenter center{.dim = trajectory.dim(),
                       .grid = detail::center_grid(trajectory.dim()),
                       .places = {},
                       .readouts = {},
                       .values = {}};
  const auto k = trajectory.points.view<2>();
  const double radius = detail::center_radius(center.dim);
  std::vector<Index> near;
  std::vector<Index> counts(static_cast<std::size_t>(readouts), 0);
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      square += std::pow(k(j, axis) * static_cast<double>(image[-1 - static_cast<int>(axis)]), 2);
    }
    if (square <= radius * radius) near.push_back(j);
  }
  const auto found = static_cast<Index>(near.size());
  const Index every = std::max<Index>(1, divide_up(found, most_center_samples));
  std::vector<Index> chosen;
  for (Index i = 0; i < found; i += every) {
    const Index j = near[static_cast<std::size_t>(i)];
    const Index readout = j / trajectory.readout_length;
    ++counts[static_cast<std::size_t>(readout)];
    std::array<double, 3> place{};
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      place[static_cast<std::size_t>(axis)] = k(j, axis) * static_cast<double>(image[-1 - static_cast<int>(axis)]);
    }
    chosen.push_back(j);
    center.places.push_back(place);
    center.readouts.push_back(readout);
  }
  const Index least = center.dim + 1;
  for (Index readout = 0; readout < readouts; ++readout) {
    if (counts[static_cast<std::size_t>(readout)] >= least) continue;
    throw ValueError(fmt::format(
        "shifts of readouts: readout {} has {} samples within {} cycles per field of view of the center of k-space, "
        "expected {} or more; shifts of such readouts are not in the data",
        readout, counts[static_cast<std::size_t>(readout)], radius, least));
  }
  CoilValues values(center.count(), data.extent(0));
  for (Index i = 0; i < center.count(); ++i) {
    for (Index c = 0; c < data.extent(0); ++c) {
      values(i, c) = std::complex<double>(data.data()[c * data.extent(1) + chosen[static_cast<std::size_t>(i)]]);
    }
  }
  const double norm = values.norm();
  if (!(norm > 0)) throw ValueError("shifts of readouts: all data near the center of k-space are zero");
  values /= norm;
  const CoilValues gram = values.adjoint() * values;
  const Index coils = std::min(data.extent(0), most_virtual_coils);
  center.values = detail::real_columns(values * detail::eigenpairs(gram).vectors.rightCols(coils));
  return center;
}

// One linearization.
struct ShiftStep {
  Shifts change;
  double standard_error = 0;
  double squares = 0;   // of the shifts, in units of their covariance
  double residual = 0;  // |y - fit| / |y|
};

// By Cholesky's decomposition where there is one: L^-T L^-1.
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& curvature) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(curvature.rows(), curvature.cols());
  const std::optional<Eigen::MatrixXd> lower = detail::cholesky(curvature);
  if (!lower) return detail::solve_semidefinite(curvature, identity);
  const Eigen::MatrixXd half = lower->triangularView<Eigen::Lower>().solve(identity);
  return detail::column_product(half, half);
}

ShiftStep linearize(const ReadoutCenter& center, const Shifts& shifts, double least_variance) {
  const auto dim = static_cast<Index>(center.dim);
  const Index count = center.count();
  const Index parts = center.values.cols();
  const auto readouts = static_cast<Index>(shifts.size());
  const Index unknowns = readouts * dim;
  detail::CenterPlaces places = center.places;
  for (Index i = 0; i < count; ++i) {
    const auto& shift = shifts[static_cast<std::size_t>(center.readouts[static_cast<std::size_t>(i)])];
    for (std::size_t axis = 0; axis < 3; ++axis) places[static_cast<std::size_t>(i)][axis] -= shift[axis];
  }
  const Columns encode = detail::center_waves(center.dim, places, center.grid);
  const double ridge = image_ridge * static_cast<double>(count);
  const Columns lower = detail::factor_of_waves(detail::CenterGram(center.dim, places, center.grid), ridge);
  const auto below = lower.triangularView<Eigen::Lower>();
  const Columns image = detail::solve_factored(lower, detail::column_product(encode, center.values));
  const Columns left = center.values - encode * image;

  // How the samples of a readout change as it is shifted along an axis.
  std::vector<Columns> slopes;
  for (int axis = 0; axis < center.dim; ++axis) {
    slopes.emplace_back(encode * detail::moved_waves(center.dim, image, center.grid, axis));
  }
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(unknowns, unknowns);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(unknowns);
  std::vector<Columns> seen(static_cast<std::size_t>(parts), Columns(encode.cols(), unknowns));
  for (Index first = 0; first < count;) {
    const Index readout = center.readouts[static_cast<std::size_t>(first)];
    Index rows = 0;
    while (first + rows < count && center.readouts[static_cast<std::size_t>(first + rows)] == readout) ++rows;
    for (Index a = 0; a < dim; ++a) {
      const auto of_a = slopes[static_cast<std::size_t>(a)].middleRows(first, rows);
      right[readout * dim + a] = of_a.cwiseProduct(left.middleRows(first, rows)).sum();
      for (Index b = 0; b < dim; ++b) {
        const auto of_b = slopes[static_cast<std::size_t>(b)].middleRows(first, rows);
        curvature(readout * dim + a, readout * dim + b) = of_a.cwiseProduct(of_b).sum();
      }
      const Columns back = encode.middleRows(first, rows).transpose() * of_a;
      for (Index c = 0; c < parts; ++c) seen[static_cast<std::size_t>(c)].col(readout * dim + a) = back.col(c);
    }
    first += rows;
  }
  // What the image takes up of a change is no sign of it: D^H (1 - P) D with the projection P onto what images explain.
  for (Columns& of_part : seen) {
    below.solveInPlace(of_part);
    curvature -= detail::column_product(of_part, of_part);
  }
  // A shift that all readouts share changes nothing but the image: it is kept at 0.
  const double weight = curvature.trace() / static_cast<double>(unknowns * readouts);
  for (Index i = 0; i < unknowns; ++i) {
    for (Index j = i % dim; j < unknowns; j += dim) curvature(i, j) += weight;
  }
  ShiftStep step;
  step.residual = left.norm() / center.values.norm();
  // An image takes tr(P) = voxels - ridge tr(H^-1) complex numbers from the samples of each coil, H = A^H A + ridge.
  const Columns inverse_factor = below.solve(Columns::Identity(encode.cols(), encode.cols()));
  const double taken = static_cast<double>(encode.cols()) - ridge * inverse_factor.squaredNorm();
  const double freedom =
      static_cast<double>(parts) * (static_cast<double>(count) - taken) - static_cast<double>(unknowns);
  if (freedom < 1) {
    throw ValueError(
        fmt::format("shifts of readouts: {} samples near the center of k-space for an image of {:.0f} numbers and {} "
                    "shifts, expected more; give the shifts, or take more readouts",
                    count, taken, unknowns));
  }
  const double variance = std::max(left.squaredNorm() / freedom, least_variance);
  const Eigen::MatrixXd inverse = inverse_of(curvature);
  step.standard_error = std::sqrt(variance * std::max(inverse.diagonal().maxCoeff(), 0.0));
  const Eigen::VectorXd change = inverse * right;
  Eigen::VectorXd all(unknowns);
  for (Index readout = 0; readout < readouts; ++readout) {
    std::array<double, 3> of{};
    for (Index axis = 0; axis < dim; ++axis) {
      of[static_cast<std::size_t>(axis)] = change[readout * dim + axis];
      all[readout * dim + axis] = shifts[static_cast<std::size_t>(readout)][static_cast<std::size_t>(axis)];
    }
    step.change.push_back(of);
  }
  step.squares = all.dot(curvature * all) / variance;
  return step;
}

// Whether readouts predict each other better with the shifts than without; so if too few lie near the center to say.
bool are_borne_out(const Context& ctx, const DelayFrame& frame, const Shape& image, const Shifts& shifts) {
  const detail::ReadoutPrediction prediction(frame, image);
  if (!prediction.is_known()) return true;
  Trajectory moved{clone(ctx.host(), frame.trajectory->points.ref()), frame.trajectory->readout_length};
  const auto k = moved.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    const auto& shift = shifts[static_cast<std::size_t>(j / moved.readout_length)];
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      k(j, axis) -= shift[static_cast<std::size_t>(axis)] / static_cast<double>(image[-1 - static_cast<int>(axis)]);
    }
  }
  return prediction.left(ctx, moved) < prediction.left(ctx, *frame.trajectory);
}

double shift_length(const std::array<double, 3>& of) { return std::hypot(of[0], of[1], of[2]); }

}  // namespace

ReadoutShifts estimate_readout_shifts(const Context& ctx, const Trajectory& trajectory,
                                      ArrayRef<const std::complex<float>> data, const Shape& image) {
  if (data.rank() != 2 || data.extent(0) < 1 || data.extent(1) != trajectory.samples() ||
      image.rank() != trajectory.dim()) {
    throw ShapeError(
        fmt::format("shifts of readouts: data {} and an image {} for {} samples in {} dimensions; expected "
                    "[coil, sample] and as many axes",
                    to_string(data.shape()), to_string(image), trajectory.samples(), trajectory.dim()));
  }
  const Index readouts = checked_readouts(trajectory);
  const ReadoutCenter center = samples_near_center(trajectory, data, image, readouts);
  const double least_variance =
      left_without_noise * left_without_noise * center.values.squaredNorm() / static_cast<double>(center.values.size());
  ReadoutShifts found{.shifts = Shifts(static_cast<std::size_t>(readouts))};
  found.samples = center.count();
  for (int number = 0; number < most_rounds; ++number) {
    ctx.check_cancel("shifts of readouts");
    const ShiftStep step = linearize(center, found.shifts, least_variance);
    if (number == 0) found.before = step.residual;
    found.after = step.residual;
    found.standard_error = step.standard_error;
    double most = 0;
    for (const auto& change : step.change) most = std::max(most, shift_length(change));
    if (!std::isfinite(most)) break;
    if (most <= settled_change) {
      if (!(found.standard_error <= most_uncertainty)) {
        throw ValueError(fmt::format(
            "shifts of readouts: the data leave them uncertain by {:.2f} cycles per field of view, expected {} at most",
            found.standard_error, most_uncertainty));
      }
      for (const auto& shift : found.shifts) found.largest = std::max(found.largest, shift_length(shift));
      // A sum of n squares of standard normals is n on average, with a variance of 2 n.
      const auto n = static_cast<double>((readouts - 1) * center.dim);
      found.is_significant = step.squares > n + significant * std::sqrt(2 * n);
      found.is_borne_out = are_borne_out(ctx, {&trajectory, data}, image, found.shifts);
      return found;
    }
    std::array<double, 3> mean{};
    for (std::size_t readout = 0; readout < found.shifts.size(); ++readout) {
      const double part = std::min(1.0, most_change / std::max(shift_length(step.change[readout]), settled_change));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        found.shifts[readout][axis] += part * step.change[readout][axis];
        mean[axis] += found.shifts[readout][axis] / static_cast<double>(readouts);
      }
    }
    for (auto& shift : found.shifts) {
      for (std::size_t axis = 0; axis < 3; ++axis) shift[axis] -= mean[axis];
    }
  }
  throw ValueError("shifts of readouts: the center of k-space does not determine them");
}

}  // namespace whorl
