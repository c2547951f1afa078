#include "whorl/correct/estimate_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "correct/motion/pose_errors.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;
using Triple = std::array<double, 3>;

constexpr int most_rounds = 60;
constexpr int steps_of_image = 8;  // of conjugate gradient in each round
constexpr double settled = 5e-4;   // pixels, and degrees: no pose changes by more
constexpr double most_shift = 1;   // pixels in one round
constexpr double most_angle = 3;   // degrees in one round
constexpr Index samples_per_unknown = 8;

void check_one_place(const Scan& scan) {
  for (const ScanFrame& frame : scan.frames) {
    if (frame.geometry == scan.frames.front().geometry) continue;
    throw ValueError("motion: the scan has frames at several places, expected one slice or volume");
  }
}

// The samples of all groups, and the images that explain them.
class Fit {
 public:
  Fit(const Context& ctx, const detail::MotionSamples& center, std::size_t groups)
      : center_(center), poses_(groups), images_(zeros<Complex>(ctx, center.image.with_front(center.coils()))) {}

  // New images, and a step of each pose. Returns the largest change, in pixels or degrees.
  double round(const Context& ctx) {
    const std::vector<detail::KSpaceMove> moves = moves_of_poses();
    const Nufft<float> transform = transform_of(ctx, moves);
    make_images(ctx, moves, transform);
    const Array<Complex> spectra = spectra_of(ctx, transform);
    const detail::PoseSlopes slopes(center_, poses_, spectra);
    const std::vector<ObjectPose> before = poses_;
    const Array<Complex> left = left_by(ctx, slopes);
    take_step(slopes.changes(left));
    return change_without_mean(before);
  }

  MotionEstimate estimate(const Context& ctx) const {
    const Nufft<float> transform = transform_of(ctx, moves_of_poses());
    const Array<Complex> spectra = spectra_of(ctx, transform);
    const detail::PoseSlopes slopes(center_, poses_, spectra);
    double residual = 0;
    const Array<Complex> left = left_by(ctx, slopes);
    for (const Complex& value : left.span()) residual += std::norm(value);
    const detail::PoseErrors errors = detail::pose_errors(ctx, center_, slopes, transform, poses_, residual);
    return {poses_, errors.mm, errors.degrees,
            *std::max_element(center_.pixel_mm.begin(),
                              center_.pixel_mm.begin() + static_cast<std::ptrdiff_t>(center_.dim))};
  }

 private:
  std::vector<detail::KSpaceMove> moves_of_poses() const {
    std::vector<detail::KSpaceMove> moves;
    for (const ObjectPose& pose : poses_) moves.emplace_back(pose, center_.pixel_mm);
    return moves;
  }

  Nufft<float> transform_of(const Context& ctx, const std::vector<detail::KSpaceMove>& moves) const {
    Array<double> points(ctx.host(), {static_cast<Index>(center_.k.size()), static_cast<Index>(center_.dim)});
    for (std::size_t j = 0; j < center_.k.size(); ++j) {
      const Triple k = moves[center_.group[j]].turned(center_.k[j]);
      for (std::size_t axis = 0; axis < center_.dim; ++axis) {
        points.view<2>()(static_cast<Index>(j), static_cast<Index>(axis)) = std::clamp(k[axis], -k_limit, k_limit);
      }
    }
    return Nufft<float>(ctx, points, center_.image, center_.coils(), {.tolerance = 1e-4});
  }

  void make_images(const Context& ctx, const std::vector<detail::KSpaceMove>& moves, const Nufft<float>& transform) {
    Array<Complex> at_rest = clone<Complex>(ctx, center_.data);
    for (std::size_t j = 0; j < center_.k.size(); ++j) {
      const double turns = moves[center_.group[j]].turns(center_.k[j]);
      const Complex factor(std::polar(1.0, 2 * std::numbers::pi * turns));
      for (Index coil = 0; coil < center_.coils(); ++coil) at_rest.view<2>()(coil, static_cast<Index>(j)) *= factor;
    }
    Array<Complex> right(ctx, images_.shape());
    transform.adjoint(ctx, at_rest, right);
    conjugate_gradient<float>(ctx, [&](const Context& c, auto x, auto z) { transform.normal(c, x, z); }, right, images_,
                              {.iterations = steps_of_image});
  }

  // Spectra of the images, and of the images times their coordinate along each axis: [1 + axis, coil, sample].
  Array<Complex> spectra_of(const Context& ctx, const Nufft<float>& transform) const {
    const auto parts = static_cast<Index>(center_.dim) + 1;
    Array<Complex> weighted(ctx, center_.image.with_front(parts * center_.coils()));
    const Index pixels = center_.image.size();
    const Index all = center_.coils() * pixels;
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
    Array<Complex> spectra(ctx, {parts * center_.coils(), static_cast<Index>(center_.k.size())});
    Nufft<float>(transform, parts * center_.coils()).forward(ctx, weighted, spectra);
    return spectra;
  }

  // What images and poses leave of the samples.
  Array<Complex> left_by(const Context& ctx, const detail::PoseSlopes& slopes) const {
    Array<Complex> left = clone<Complex>(ctx, center_.data);
    for (Index i = 0; i < left.size(); ++i) left.data()[i] -= slopes.samples().data()[i];
    return left;
  }

  void take_step(const Eigen::MatrixXd& changes) {
    for (std::size_t group = 0; group < poses_.size(); ++group) {
      for (std::size_t u = 0; u < center_.unknowns(); ++u) {
        const bool shift = u < center_.dim;
        const double unit = shift ? center_.pixel_mm[u] : 1;
        const double most = shift ? most_shift : most_angle;
        const double change = changes(static_cast<Eigen::Index>(u), static_cast<Eigen::Index>(group)) / unit;
        detail::unknown_of(poses_[group], u, center_.dim) += std::clamp(change, -most, most) * unit;
      }
    }
  }

  // A pose that all groups share is only another place of the images: without this the poses would drift.
  double change_without_mean(std::vector<ObjectPose> before) {
    double largest = 0;
    for (std::size_t u = 0; u < center_.unknowns(); ++u) {
      double mean = 0;
      for (ObjectPose& pose : poses_)
        mean += detail::unknown_of(pose, u, center_.dim) / static_cast<double>(poses_.size());
      const double unit = u < center_.dim ? center_.pixel_mm[u] : 1;
      for (std::size_t group = 0; group < poses_.size(); ++group) {
        double& now = detail::unknown_of(poses_[group], u, center_.dim);
        now -= mean;
        const double change = std::abs(now - detail::unknown_of(before[group], u, center_.dim)) / unit;
        largest = std::isfinite(change) ? std::max(largest, change) : change;
      }
    }
    return largest;
  }

  const detail::MotionSamples& center_;
  std::vector<ObjectPose> poses_;
  Array<Complex> images_;
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
  const detail::MotionSamples center = detail::motion_samples(host, scan, readouts);
  const auto groups = static_cast<std::size_t>(all / readouts);
  std::vector<Index> counts(groups);
  for (const std::size_t group : center.group) ++counts[group];
  const Index needed = samples_per_unknown * static_cast<Index>(center.unknowns());
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
    if (round > 0 && change <= settled) return fit.estimate(host);
    progress.advance();
  }
  throw ValueError("motion: the data near the center of k-space do not determine it; give the poses, or larger groups");
}

}  // namespace whorl
