#include "correct/motion/pose_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/decompositions.hpp"

namespace whorl::detail {

namespace {

using Complex = std::complex<float>;
using Triple = std::array<double, 3>;

// d turn / d angle, by central differences: smooth functions of size 1, so exact to 1e-9.
std::vector<std::array<Triple, 3>> slopes_of_turn(const MotionSamples& center, const ObjectPose& pose) {
  constexpr double h = 1e-2;  // degrees
  std::vector<std::array<Triple, 3>> slopes;
  for (std::size_t u = center.dim; u < center.unknowns(); ++u) {
    ObjectPose low = pose;
    ObjectPose high = pose;
    unknown_of(low, u, center.dim) -= h;
    unknown_of(high, u, center.dim) += h;
    const KSpaceMove below(low, center.pixel_mm);
    const KSpaceMove above(high, center.pixel_mm);
    std::array<Triple, 3>& slope = slopes.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) slope[i][j] = (above.turn[i][j] - below.turn[i][j]) / (2 * h);
    }
  }
  return slopes;
}

}  // namespace

double& unknown_of(ObjectPose& pose, std::size_t number, std::size_t dim) {
  if (number < dim) return pose.shift_mm[number];
  return pose.rotation_degrees[dim == 2 ? 2 : number - dim];
}

PoseSlopes::PoseSlopes(const MotionSamples& center, const std::vector<ObjectPose>& poses,
                       ArrayRef<const Complex> spectra)
    : samples_(Context(), {center.coils(), center.count()}),
      slopes_(Context(), {static_cast<Index>(center.unknowns()) * center.coils(), center.count()}) {
  const Index coils = center.coils();
  const auto unknowns = static_cast<Eigen::Index>(center.unknowns());
  const std::complex<double> per_turn(0, -2 * std::numbers::pi);
  Eigen::VectorXcd change(unknowns);
  for (std::size_t group = 0; group < poses.size(); ++group) {
    const auto [begin, end] = std::equal_range(center.group.begin(), center.group.end(), group);
    Part part{begin - center.group.begin(), end - center.group.begin(), Eigen::MatrixXd::Zero(unknowns, unknowns)};
    const KSpaceMove move(poses[group], center.pixel_mm);
    const auto turns = slopes_of_turn(center, poses[group]);
    for (Index j = part.first; j < part.last; ++j) {
      const Triple& k = center.k[static_cast<std::size_t>(j)];
      const std::complex<double> moved = std::polar(1.0, -2 * std::numbers::pi * move.turns(k));
      for (Index coil = 0; coil < coils; ++coil) {
        const auto spectrum = [&](Index number) {
          return moved * std::complex<double>(spectra.data()[(number * coils + coil) * count() + j]);
        };
        const std::complex<double> sample = spectrum(0);
        samples_.data()[coil * count() + j] = Complex(sample);
        for (std::size_t u = 0; u < center.unknowns(); ++u) {
          std::complex<double> sum = 0;
          if (u < center.dim) {
            sum = k[u] / center.pixel_mm[u] * sample;
          } else {
            for (std::size_t axis = 0; axis < center.dim; ++axis) {
              const Triple& row = turns[u - center.dim][axis];
              sum += (row[0] * k[0] + row[1] * k[1] + row[2] * k[2]) * spectrum(static_cast<Index>(axis) + 1);
            }
          }
          const auto number = static_cast<Index>(u);
          change[number] = per_turn * sum;
          slopes_.data()[(number * coils + coil) * count() + j] = Complex(change[number]);
        }
        part.normal += (change.conjugate() * change.transpose()).real();
      }
    }
    parts_.push_back(std::move(part));
  }
}

Eigen::MatrixXd PoseSlopes::changes(ArrayRef<const Complex> samples) const {
  const Eigen::Index unknowns = parts_.front().normal.rows();
  Eigen::MatrixXd found(unknowns, static_cast<Eigen::Index>(parts_.size()));
  for (std::size_t group = 0; group < parts_.size(); ++group) {
    const Part& part = parts_[group];
    Eigen::VectorXd right = Eigen::VectorXd::Zero(unknowns);
    for (Index u = 0; u < unknowns; ++u) {
      for (Index coil = 0; coil < samples_.extent(0); ++coil) {
        const Complex* d = slope(u, coil);
        const Complex* of_coil = samples.data() + coil * count();
        for (Index j = part.first; j < part.last; ++j) {
          right[u] += (std::conj(std::complex<double>(d[j])) * std::complex<double>(of_coil[j])).real();
        }
      }
    }
    found.col(static_cast<Eigen::Index>(group)) = solve_semidefinite(part.normal, right);
  }
  return found;
}

void PoseSlopes::take_out(ArrayRef<Complex> samples) const {
  const Eigen::MatrixXd found = changes(samples);
  for (std::size_t group = 0; group < parts_.size(); ++group) {
    const Part& part = parts_[group];
    for (Index u = 0; u < found.rows(); ++u) {
      const auto change = static_cast<float>(found(u, static_cast<Eigen::Index>(group)));
      for (Index coil = 0; coil < samples_.extent(0); ++coil) {
        const Complex* d = slope(u, coil);
        Complex* of_coil = samples.data() + coil * count();
        for (Index j = part.first; j < part.last; ++j) of_coil[j] -= change * d[j];
      }
    }
  }
}

Eigen::MatrixXd PoseSlopes::variances() const {
  const Eigen::Index unknowns = parts_.front().normal.rows();
  Eigen::MatrixXd found(unknowns, static_cast<Eigen::Index>(parts_.size()));
  for (std::size_t group = 0; group < parts_.size(); ++group) {
    // The real part of the noise, which is half of it, is what real unknowns see.
    found.col(static_cast<Eigen::Index>(group)) =
        0.5 * solve_semidefinite(parts_[group].normal, Eigen::MatrixXd::Identity(unknowns, unknowns)).diagonal();
  }
  return found;
}

}  // namespace whorl::detail
