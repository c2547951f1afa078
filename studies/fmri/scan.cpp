#include "studies/fmri/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <variant>

#include "math/rotation.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/trajectory/spiral.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl::studies::fmri {

namespace {

constexpr double turn = 2 * std::numbers::pi;

using Vector3 = std::array<double, 3>;

// Two balls in white matter, one on each side.
Phantom active_tissue(double intensity) {
  Phantom phantom{"activation", 3, {}};
  for (const Vector3& center : {Vector3{0.22, 0.3, 0.18}, Vector3{-0.22, -0.24, 0.18}}) {
    phantom.regions.push_back(
        {Solid{SolidKind::ellipsoid, center, {0.13, 0.13, 0.13}, 0}, Tissue{.intensity = intensity}});
  }
  return phantom;
}

// The head in 0.8 of the field of view, out of which it would else turn.
Phantom head_at_rest() {
  constexpr double part = 0.8;
  Phantom head = brain_phantom(3);
  for (Region& region : head.regions) {
    auto& solid = std::get<Solid>(region.figure);
    for (std::size_t i = 0; i < 3; ++i) {
      solid.center[i] *= part;
      solid.half_axes[i] *= part;
    }
  }
  return head;
}

// Sensitivities 1/2 + sin(pi/2 u)/2 for the place u along directions around the head: sums of few exponentials, so that k-space
// takes little more than that of one coil.
PhantomCoils few_terms(const Context& ctx, Index size, Index coils) {
  const Index pairs = coils / 2;
  PhantomCoils result;
  result.matrix = {size, size, size};
  result.frequencies = zeros<double>(ctx, {1 + coils, 3});
  result.coefficients = zeros<std::complex<double>>(ctx, {coils, 1 + coils});
  const auto q = result.frequencies.view<2>();
  const auto a = result.coefficients.view<2>();
  const std::complex<double> quarter(0, -0.25);  // sin = (e^iu - e^-iu) / 2i
  for (Index pair = 0; pair < pairs; ++pair) {
    const double angle = std::numbers::pi * static_cast<double>(pair) / static_cast<double>(pairs);
    const Index plus = 1 + 2 * pair;
    for (const Index term : {plus, plus + 1}) {
      const double length = (term == plus ? 0.5 : -0.5) / static_cast<double>(size);
      q(term, 0) = length * std::cos(angle);
      q(term, 1) = length * std::sin(angle);
    }
    for (const Index coil : {2 * pair, 2 * pair + 1}) {
      const double side = coil == 2 * pair ? 1 : -1;
      a(coil, 0) = 0.5;
      a(coil, plus) = side * quarter;
      a(coil, plus + 1) = -side * quarter;
    }
  }
  return result;
}

// The pose takes points u to R u + shift. So its k-space is that of the head at rest at R^T k, times exp(-2 pi i k.shift).
struct Move {
  explicit Move(const ObjectPose& pose) {
    Vector3 angles{};
    for (std::size_t i = 0; i < 3; ++i) {
      angles[i] = pose.rotation_degrees[i] * std::numbers::pi / 180;
      shift[i] = pose.shift_mm[i] / voxel_mm;
    }
    rotation = detail::rotation_about_axes(angles[0], angles[1], angles[2]);
  }
  void turned(const double* k, double* to) const {
    for (std::size_t i = 0; i < 3; ++i) to[i] = rotation[0][i] * k[0] + rotation[1][i] * k[1] + rotation[2][i] * k[2];
  }
  double turns(const double* k) const { return k[0] * shift[0] + k[1] * shift[1] + k[2] * shift[2]; }

  detail::Rotation rotation{};
  Vector3 shift{};  // voxels
};

Array<double> turned(const Context& ctx, ArrayRef<const double> points, const Move& move) {
  Array<double> to(ctx, points.shape());
  for (Index i = 0; i < points.extent(0); ++i) move.turned(points.data() + 3 * i, to.data() + 3 * i);
  return to;
}

// The coils rest: seen by the head they turn the other way (src/phantom/moving.cpp).
PhantomCoils seen_by_head(const Context& ctx, const PhantomCoils& coils, const Move& move) {
  PhantomCoils seen{coils.matrix, turned(ctx, coils.frequencies, move), clone(ctx, coils.coefficients.ref())};
  const auto a = seen.coefficients.view<2>();
  for (Index term = 0; term < a.extent(1); ++term) {
    const auto phase = std::polar(1.0, turn * move.turns(coils.frequencies.data() + 3 * term));
    for (Index coil = 0; coil < a.extent(0); ++coil) a(coil, term) *= phase;
  }
  return seen;
}

}  // namespace

Protocol make_protocol(const Context& ctx, const Options& options) {
  constexpr Index least = 16;
  constexpr Index voxels_per_arm = 8;
  if (options.size % least != 0) {
    throw ValueError(fmt::format("fmri: --size is {}, expected a multiple of {}", options.size, least));
  }
  if (options.coils % 2 != 0)
    throw ValueError(fmt::format("fmri: --coils is {}, expected an even number", options.coils));
  Protocol protocol;
  protocol.size = options.size;
  const auto voxels = static_cast<double>(options.size);
  const Index arms = options.size / voxels_per_arm;
  const double turns = voxels / static_cast<double>(2 * arms);
  const auto readout = static_cast<Index>(std::numbers::pi * turns * voxels);
  const Trajectory plane = spiral_trajectory(ctx, arms, readout, turns);
  protocol.trajectory =
      stack_trajectory(ctx, plane, {.partitions = options.size, .golden_rotation = turn / static_cast<double>(arms)});
  for (Index i = 0; i < protocol.trajectory.samples(); ++i) {
    protocol.times_s.push_back(echo_time_s +
                               readout_s * static_cast<double>(i % readout) / static_cast<double>(readout));
  }
  protocol.coils = few_terms(ctx, options.size, options.coils);
  protocol.maps = phantom_coil_maps<float>(ctx, protocol.coils);
  constexpr int subsamples = 4;
  protocol.active = rasterize<float>(ctx, active_tissue(1), {options.size, options.size, options.size}, subsamples);
  protocol.amplitude = options.amplitude / 100;
  return protocol;
}

std::vector<Array<std::complex<float>>> measure(const Context& ctx, const Protocol& protocol, const Course& course,
                                                double noise) {
  constexpr std::uint64_t seed = 42;
  const Array<double>& points = protocol.trajectory.points;
  std::vector<Array<std::complex<float>>> volumes;
  ProgressStage progress(ctx, "fmri: scan", static_cast<Index>(course.poses.size()));
  std::optional<ObjectPose> last;
  Array<std::complex<float>> head;
  Array<std::complex<float>> active;
  for (std::size_t v = 0; v < course.poses.size(); ++v) {
    const Move move(course.poses[v]);
    if (last != course.poses[v]) {
      last = course.poses[v];
      const PhantomCoils coils = seen_by_head(ctx, protocol.coils, move);
      const Array<double> places = turned(ctx, points, move);
      head = phantom_coil_samples<float>(ctx, head_at_rest(), coils, places);
      active = phantom_coil_samples<float>(ctx, active_tissue(protocol.amplitude), coils, places);
    }
    Array<std::complex<float>> samples = clone(ctx, head.ref());
    axpby<float>(ctx, static_cast<float>(course.response[v]), active.ref(), 1, samples.ref());
    Array<std::complex<float>> noisy(ctx, samples.shape());
    fill_random_normal<float>(ctx, noisy, stream_seed(seed, v));
    const auto data = samples.view<2>();
    for (Index i = 0; i < data.extent(1); ++i) {
      const double angle = turn * (course.field_hz[v] * protocol.times_s[static_cast<std::size_t>(i)] -
                                   move.turns(points.data() + 3 * i));
      const std::complex<float> phase(std::polar(1.0, angle));
      for (Index coil = 0; coil < data.extent(0); ++coil) {
        data(coil, i) = data(coil, i) * phase + static_cast<float>(noise) * noisy.data()[coil * data.extent(1) + i];
      }
    }
    volumes.push_back(std::move(samples));
    progress.advance();
  }
  return volumes;
}

}  // namespace whorl::studies::fmri
