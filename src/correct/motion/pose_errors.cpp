#include "correct/motion/pose_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whorl/core/integer.hpp"
#include "whorl/core/random.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::detail {

namespace {

using Complex = std::complex<float>;

// Squares of an unknown, over groups and replicas: their sum varies by sqrt(2/48), and its root by 10 %.
constexpr std::size_t squares = 48;
constexpr std::size_t most_replicas = 16;
constexpr int steps = 60;
constexpr double tolerance = 1e-3;
constexpr std::uint64_t seed = 0x706f7365;

}  // namespace

PoseErrors pose_errors(const Context& ctx, const MotionSamples& center, const PoseSlopes& slopes,
                       const Nufft<float>& transform, const std::vector<ObjectPose>& poses, double residual) {
  const auto unknowns = static_cast<Eigen::Index>(center.unknowns());
  std::vector<Complex> phases;  // a sample is what the transform of the images gives, times this
  for (std::size_t j = 0; j < center.k.size(); ++j) {
    const KSpaceMove move(poses[center.group[j]], center.pixel_mm);
    phases.emplace_back(std::polar(1.0, -2 * std::numbers::pi * move.turns(center.k[j])));
  }
  const auto count = center.count();
  const auto turn = [&](ArrayRef<Complex> samples, bool is_back) {
    for (Index i = 0; i < samples.size(); ++i) {
      const Complex phase = phases[static_cast<std::size_t>(i % count)];
      samples.data()[i] *= is_back ? std::conj(phase) : phase;
    }
  };
  // The poses are eliminated: with Q = what they explain, the images solve E^H (1 - Q) E x = E^H (1 - Q) n.
  Array<Complex> samples(ctx, {center.coils(), count});
  Array<Complex> images(ctx, center.image.with_front(center.coils()));
  Array<Complex> right(ctx, images.shape());
  const auto back = [&](const Context& c, ArrayRef<Complex> to) {
    slopes.take_out(samples);
    turn(samples, true);
    transform.adjoint(c, samples, to);
  };
  const auto normal = [&](const Context& c, auto x, auto z) {
    transform.forward(c, x, samples);
    turn(samples, false);
    back(c, z);
  };
  Eigen::VectorXd varied = Eigen::VectorXd::Zero(unknowns);
  double left = 0;
  const std::size_t replicas = std::clamp<std::size_t>(divide_up(squares, poses.size()), 2, most_replicas);
  for (std::size_t replica = 0; replica < replicas; ++replica) {
    ctx.check_cancel("motion");
    Array<Complex> noise(ctx, samples.shape());
    fill_random_normal<float>(noise, stream_seed(seed, replica));
    copy<Complex>(ctx, noise, samples);
    back(ctx, right);
    fill<Complex>(images, 0);
    conjugate_gradient<float>(ctx, normal, right, images, {.iterations = steps, .tolerance = tolerance});
    transform.forward(ctx, images, samples);
    turn(samples, false);
    for (Index i = 0; i < samples.size(); ++i) samples.data()[i] = noise.data()[i] - samples.data()[i];
    Eigen::MatrixXd found = slopes.changes(samples);
    slopes.take_out(samples);
    for (Index i = 0; i < samples.size(); ++i) left += std::norm(samples.data()[i]);
    found.colwise() -= found.rowwise().mean();
    varied += found.rowwise().squaredNorm();
  }
  const double variance = residual / (left / static_cast<double>(replicas));
  const Eigen::MatrixXd given = slopes.variances();
  PoseErrors errors;
  for (Eigen::Index u = 0; u < unknowns; ++u) {
    const double more = varied[u] / (static_cast<double>(replicas) * given.row(u).sum());
    double& error = static_cast<std::size_t>(u) < center.dim ? errors.mm : errors.degrees;
    error = std::max(error, std::sqrt(variance * more * given.row(u).maxCoeff()));
  }
  return errors;
}

}  // namespace whorl::detail
