#include "whorl/recon/estimate_motion.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/decompositions.hpp"
#include "scan/object_pose.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/scan/regroup.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;
using Triple = std::array<double, 3>;

constexpr double most_pixels = 32;  // along the longest axis of the low-resolution images
constexpr int most_rounds = 60;
constexpr int steps_of_image = 8;  // of conjugate gradient in each round
constexpr double settled = 5e-4;   // pixels, and degrees: no pose changes by more
constexpr double most_shift = 1;   // pixels in one round
constexpr double most_angle = 3;   // degrees in one round
constexpr Index samples_per_unknown = 8;

// Samples near the center of k-space, in cycles per pixel of the low-resolution images.
struct Center {
  Shape image;
  Triple pixel_mm{1, 1, 1};
  std::size_t dim = 2;
  std::vector<Triple> k;
  std::vector<std::size_t> group;  // of each sample, rising
  Array<Complex> data;             // [coil, sample], of largest magnitude 1
};

void check_one_place(const Scan& scan) {
  for (const ScanFrame& frame : scan.frames) {
    if (frame.geometry == scan.frames.front().geometry) continue;
    throw ValueError("motion: the scan has frames at several places, expected one slice or volume");
  }
}

// Pixels of about the same size along all axes.
void choose_image(const Scan& scan, Center& center) {
  const Triple& field = scan.frames.front().geometry.field_of_view_mm;
  const Triple pixel = detail::pixel_size(scan, scan.frames.front());
  double size = 0;
  for (std::size_t axis = 0; axis < center.dim; ++axis) {
    size = std::max({size, field[axis] / most_pixels, pixel[axis]});
  }
  for (std::size_t axis = 0; axis < center.dim; ++axis) {
    const auto pixels = std::max<Index>(4, 2 * std::lround(field[axis] / size / 2));
    center.image = center.image.with_front(pixels);
    center.pixel_mm[axis] = field[axis] / static_cast<double>(pixels);
  }
}

Center center_of(const Context& ctx, const Scan& scan, Index readouts) {
  Center center;
  center.dim = static_cast<std::size_t>(scan.dim());
  choose_image(scan, center);
  const double widest = *std::max_element(center.pixel_mm.begin(), center.pixel_mm.begin() + scan.dim());
  std::vector<std::pair<const ScanFrame*, Index>> from;
  Index first = 0;
  for (const ScanFrame& frame : scan.frames) {
    const auto points = frame.trajectory->points.view<2>();
    for (Index sample = 0; sample < points.extent(0); ++sample) {
      Triple k{};
      double square = 0;
      for (std::size_t axis = 0; axis < center.dim; ++axis) {
        const auto pixels = static_cast<double>(center.image[-1 - static_cast<int>(axis)]);
        k[axis] = points(sample, static_cast<Index>(axis)) * static_cast<double>(scan.matrix[axis]) / pixels;
        square += std::pow(k[axis] * widest / center.pixel_mm[axis], 2);
      }
      if (square > 0.25) continue;  // stays inside |k| = 1/2 whatever the angle
      center.k.push_back(k);
      center.group.push_back(static_cast<std::size_t>((first + sample / frame.trajectory->readout_length) / readouts));
      from.emplace_back(&frame, sample);
    }
    first += readouts_of(frame, "motion");
  }
  const auto count = static_cast<Index>(from.size());
  center.data = Array<Complex>(ctx.host(), {scan.coils, count});
  float largest = 0;
  for (Index coil = 0; coil < scan.coils; ++coil) {
    for (Index j = 0; j < count; ++j) {
      const auto& [frame, sample] = from[static_cast<std::size_t>(j)];
      const Complex value = frame->data.view<2>()(coil, sample);
      center.data.view<2>()(coil, j) = value;
      largest = std::max(largest, std::abs(value));
    }
  }
  if (!(largest > 0)) throw ValueError("motion: all data near the center of k-space are zero");
  for (Complex& value : center.data.span()) value /= largest;
  return center;
}

// What is to be found of a pose: the shifts, then the angles.
double& unknown_of(ObjectPose& pose, std::size_t number, std::size_t dim) {
  if (number < dim) return pose.shift_mm[number];
  return pose.rotation_degrees[dim == 2 ? 2 : number - dim];
}

// The samples of all groups, the images that explain them, and what each unknown changes.
class Fit {
 public:
  Fit(const Context& ctx, const Center& center, std::size_t groups)
      : center_(center),
        poses_(groups),
        images_(zeros<Complex>(ctx, center.image.with_front(center.data.extent(0)))),
        unknowns_(center.dim == 2 ? 3 : 6) {}

  // New images, and a step of each pose. Returns the largest change, in pixels or degrees.
  double round(const Context& ctx) {
    std::vector<detail::KSpaceMove> moves;
    for (const ObjectPose& pose : poses_) moves.emplace_back(pose, center_.pixel_mm);
    const Nufft<float> transform = transform_of(ctx, moves);
    make_images(ctx, moves, transform);
    const Array<Complex> spectra = spectra_of(ctx, transform);
    const std::vector<ObjectPose> before = poses_;
    error_mm_ = error_degrees_ = 0;
    for (std::size_t group = 0; group < poses_.size(); ++group) step(group, moves[group], spectra);
    return change_without_mean(before);
  }

  MotionEstimate estimate() const {
    return {poses_, error_mm_, error_degrees_,
            *std::max_element(center_.pixel_mm.begin(),
                              center_.pixel_mm.begin() + static_cast<std::ptrdiff_t>(center_.dim))};
  }

 private:
  Index coils() const { return center_.data.extent(0); }

  Nufft<float> transform_of(const Context& ctx, const std::vector<detail::KSpaceMove>& moves) const {
    Array<double> points(ctx.host(), {static_cast<Index>(center_.k.size()), static_cast<Index>(center_.dim)});
    for (std::size_t j = 0; j < center_.k.size(); ++j) {
      const Triple k = moves[center_.group[j]].turned(center_.k[j]);
      for (std::size_t axis = 0; axis < center_.dim; ++axis) {
        points.view<2>()(static_cast<Index>(j), static_cast<Index>(axis)) = std::clamp(k[axis], -k_limit, k_limit);
      }
    }
    return Nufft<float>(ctx, points, center_.image, coils(), {.tolerance = 1e-4});
  }

  void make_images(const Context& ctx, const std::vector<detail::KSpaceMove>& moves, const Nufft<float>& transform) {
    Array<Complex> at_rest = clone<Complex>(ctx, center_.data);
    for (std::size_t j = 0; j < center_.k.size(); ++j) {
      const double turns = moves[center_.group[j]].turns(center_.k[j]);
      const Complex factor(std::polar(1.0, 2 * std::numbers::pi * turns));
      for (Index coil = 0; coil < coils(); ++coil) at_rest.view<2>()(coil, static_cast<Index>(j)) *= factor;
    }
    Array<Complex> right(ctx, images_.shape());
    transform.adjoint(ctx, at_rest, right);
    conjugate_gradient<float>(ctx, [&](const Context& c, auto x, auto z) { transform.normal(c, x, z); }, right, images_,
                              {.iterations = steps_of_image});
  }

  // Of the images, and of the images times their coordinate along each axis: [1 + axis, coil, sample].
  Array<Complex> spectra_of(const Context& ctx, const Nufft<float>& transform) const {
    const auto parts = static_cast<Index>(center_.dim) + 1;
    Array<Complex> weighted(ctx, center_.image.with_front(parts * coils()));
    const Index pixels = center_.image.size();
    const Index all = coils() * pixels;
    std::copy_n(images_.data(), all, weighted.data());
    for (Index i = 0; i < all; ++i) {
      Index rest = i % pixels;
      for (std::size_t axis = 0; axis < center_.dim; ++axis) {
        const Index extent = center_.image[-1 - static_cast<int>(axis)];
        const Index from_center = rest % extent - extent / 2;
        const auto place = static_cast<float>(from_center);
        rest /= extent;
        weighted.data()[(static_cast<Index>(axis) + 1) * all + i] = place * images_.data()[i];
      }
    }
    Array<Complex> spectra(ctx, {parts * coils(), static_cast<Index>(center_.k.size())});
    Nufft<float>(transform, parts * coils()).forward(ctx, weighted, spectra);
    return spectra;
  }

  // A pose that all groups share is only another place of the images: without this the poses would drift.
  double change_without_mean(std::vector<ObjectPose> before) {
    double largest = 0;
    for (std::size_t u = 0; u < unknowns_; ++u) {
      double mean = 0;
      for (ObjectPose& pose : poses_) mean += unknown_of(pose, u, center_.dim) / static_cast<double>(poses_.size());
      const double unit = u < center_.dim ? center_.pixel_mm[u] : 1;
      for (std::size_t group = 0; group < poses_.size(); ++group) {
        double& now = unknown_of(poses_[group], u, center_.dim);
        now -= mean;
        const double change = std::abs(now - unknown_of(before[group], u, center_.dim)) / unit;
        largest = std::isfinite(change) ? std::max(largest, change) : change;
      }
    }
    return largest;
  }

  void step(std::size_t group, const detail::KSpaceMove& move, const Array<Complex>& spectra) {
    const auto slopes = slopes_of(poses_[group]);
    const auto size = static_cast<Eigen::Index>(unknowns_);
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    double left = 0;
    Index count = 0;
    const std::complex<double> per_turn(0, -2 * std::numbers::pi);
    Eigen::VectorXcd change(size);
    const auto [begin, end] = std::equal_range(center_.group.begin(), center_.group.end(), group);
    for (auto at = begin; at != end; ++at) {
      const auto j = static_cast<std::size_t>(at - center_.group.begin());
      const Triple& k = center_.k[j];
      const std::complex<double> moved = std::polar(1.0, -2 * std::numbers::pi * move.turns(k));
      for (Index coil = 0; coil < coils(); ++coil) {
        const auto part = [&](Index number) {
          return moved * std::complex<double>(spectra.view<2>()(number * coils() + coil, static_cast<Index>(j)));
        };
        const std::complex<double> model = part(0);
        const std::complex<double> rest =
            std::complex<double>(center_.data.view<2>()(coil, static_cast<Index>(j))) - model;
        for (std::size_t u = 0; u < unknowns_; ++u) {
          if (u < center_.dim) {
            change[static_cast<Eigen::Index>(u)] = per_turn * (k[u] / center_.pixel_mm[u]) * model;
            continue;
          }
          std::complex<double> sum = 0;
          for (std::size_t axis = 0; axis < center_.dim; ++axis) {
            const Triple& row = slopes[u - center_.dim][axis];
            sum += (row[0] * k[0] + row[1] * k[1] + row[2] * k[2]) * part(static_cast<Index>(axis) + 1);
          }
          change[static_cast<Eigen::Index>(u)] = per_turn * sum;
        }
        normal += (change.conjugate() * change.transpose()).real();
        right += (change.conjugate() * rest).real();
        left += std::norm(rest);
        count += 2;
      }
    }
    take_step(group, normal, right, left / static_cast<double>(count));
  }

  // d turn / d angle, by central differences: smooth functions of size 1, so exact to 1e-9.
  std::vector<std::array<Triple, 3>> slopes_of(const ObjectPose& pose) const {
    constexpr double h = 1e-2;  // degrees
    std::vector<std::array<Triple, 3>> slopes;
    for (std::size_t u = center_.dim; u < unknowns_; ++u) {
      ObjectPose low = pose;
      ObjectPose high = pose;
      unknown_of(low, u, center_.dim) -= h;
      unknown_of(high, u, center_.dim) += h;
      const detail::KSpaceMove below(low, center_.pixel_mm);
      const detail::KSpaceMove above(high, center_.pixel_mm);
      std::array<Triple, 3> slope{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) slope[i][j] = (above.turn[i][j] - below.turn[i][j]) / (2 * h);
      }
      slopes.push_back(slope);
    }
    return slopes;
  }

  void take_step(std::size_t group, const Eigen::MatrixXd& normal, const Eigen::VectorXd& right, double variance) {
    const Eigen::VectorXd change = detail::solve_semidefinite(normal, right);
    const auto size = normal.rows();
    const Eigen::MatrixXd covariance =
        variance * detail::solve_semidefinite(normal, Eigen::MatrixXd::Identity(size, size));
    for (std::size_t u = 0; u < unknowns_; ++u) {
      const auto i = static_cast<Eigen::Index>(u);
      const bool shift = u < center_.dim;
      const double unit = shift ? center_.pixel_mm[u] : 1;
      const double most = shift ? most_shift : most_angle;
      const double taken = std::clamp(change[i] / unit, -most, most);
      unknown_of(poses_[group], u, center_.dim) += taken * unit;
      double& error = shift ? error_mm_ : error_degrees_;
      error = std::max(error, std::sqrt(std::max(covariance(i, i), 0.0)));
    }
  }

  const Center& center_;
  std::vector<ObjectPose> poses_;
  Array<Complex> images_;
  std::size_t unknowns_;
  double error_mm_ = 0;
  double error_degrees_ = 0;
};

}  // namespace

MotionEstimate estimate_motion(const Context& ctx, const Scan& scan, Index readouts) {
  check_one_place(scan);
  const Index all = detail::count_of_readouts(scan);
  if (readouts < 1 || all % readouts != 0) {
    throw ValueError(
        fmt::format("motion: groups of {} readouts of {}, expected a number that divides it", readouts, all));
  }
  const Context host = ctx.host();
  const Center center = center_of(host, scan, readouts);
  const auto groups = static_cast<std::size_t>(all / readouts);
  std::vector<Index> counts(groups);
  for (const std::size_t group : center.group) ++counts[group];
  const Index needed = samples_per_unknown * (center.dim == 2 ? 3 : 6);
  const Index fewest = *std::min_element(counts.begin(), counts.end());
  if (fewest < needed) {
    throw ValueError(
        fmt::format("motion: a group of {} readouts has {} samples near the center of k-space, expected at "
                    "least {}; take more readouts",
                    readouts, fewest, needed));
  }
  Fit fit(host, center, groups);
  ProgressStage progress(ctx, "motion", most_rounds);
  for (int round = 0; round < most_rounds; ++round) {
    ctx.check_cancel("motion");
    const double change = fit.round(host);
    if (!std::isfinite(change)) break;
    if (round > 0 && change <= settled) return fit.estimate();
    progress.advance();
  }
  throw ValueError("motion: the data near the center of k-space do not determine it; give the poses, or larger groups");
}

}  // namespace whorl
