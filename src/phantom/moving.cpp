#include <cmath>
#include <numbers>

#include "correct/motion/object_pose.hpp"
#include "phantom/noise_alone.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"

namespace whorl {

namespace {

// The row of an array of positions, with z = 0 in 2D.
std::array<double, 3> position(ArrayRef<const double> points, Index row) {
  std::array<double, 3> k{};
  for (Index axis = 0; axis < points.extent(1); ++axis) {
    k[static_cast<std::size_t>(axis)] = points.data()[row * points.extent(1) + axis];
  }
  return k;
}

Array<double> turned(const Context& ctx, ArrayRef<const double> points, const detail::KSpaceMove& move) {
  Array<double> to(ctx, points.shape());
  for (Index row = 0; row < points.extent(0); ++row) {
    const auto k = move.turned(position(points, row));
    for (Index axis = 0; axis < points.extent(1); ++axis) {
      to.data()[row * points.extent(1) + axis] = k[static_cast<std::size_t>(axis)];
    }
  }
  return to;
}

// The coils in the frame of the object. A moved object has F(turn (k - q)) exp(-2 pi i (k - q).shift) for each term q of a
// coil. That is the object at rest at turn k, by a coil with terms at turn q, times exp(-2 pi i k.shift).
PhantomCoils seen_by_object(const Context& ctx, const PhantomCoils& coils, const detail::KSpaceMove& move) {
  PhantomCoils seen;
  seen.matrix = coils.matrix;
  seen.frequencies = turned(ctx, coils.frequencies, move);
  seen.coefficients = clone(ctx, coils.coefficients.ref());
  const auto coefficients = seen.coefficients.view<2>();
  for (Index term = 0; term < coefficients.extent(1); ++term) {
    const auto phase = std::polar(1.0, 2 * std::numbers::pi * move.turns(position(coils.frequencies, term)));
    for (Index coil = 0; coil < coefficients.extent(0); ++coil) coefficients(coil, term) *= phase;
  }
  return seen;
}

// Adds the object at a pose to the samples [first, first + count) of a frame.
void add_at_pose(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils, const detail::KSpaceMove& move,
                 ScanFrame& frame, Index first, Index count) {
  const Index dim = frame.trajectory->dim();
  const ArrayRef<const double> points(frame.trajectory->points.data() + first * dim, {count, dim});
  const auto values =
      phantom_coil_samples<float>(ctx, phantom, seen_by_object(ctx, coils, move), turned(ctx, points, move));
  const auto data = frame.data.view<2>();
  for (Index i = 0; i < count; ++i) {
    const std::complex<float> phase(std::polar(1.0, -2 * std::numbers::pi * move.turns(position(points, i))));
    for (Index coil = 0; coil < values.extent(0); ++coil) {
      data(coil, first + i) += values.data()[coil * count + i] * phase;
    }
  }
}

}  // namespace

Scan moving_phantom_scan(const Context& ctx, const Phantom& phantom, std::span<const ObjectPose> poses, Scan scan,
                         const PhantomScanOptions& options) {
  if (options.evolving_points > 0) throw ValueError("phantom scan: an object that moves has no signal that evolves");
  scan = detail::noise_alone(ctx, phantom, std::move(scan), options);
  const Index of_pose = detail::readouts_of_pose(scan, poses.size(), "phantom scan");
  const PhantomCoils coils = receive_coils(ctx, scan.matrix, options.coils);
  ProgressStage progress(ctx, "phantom: readouts", of_pose * static_cast<Index>(poses.size()));
  Index readout = 0;
  for (ScanFrame& frame : scan.frames) {
    const std::array<double, 3> pixel = detail::pixel_size(scan, frame);
    const Index length = frame.trajectory->readout_length;
    for (Index first = 0; first < frame.trajectory->samples(); first += length) {
      const detail::KSpaceMove move(poses[static_cast<std::size_t>(readout / of_pose)], pixel);
      add_at_pose(ctx, phantom, coils, move, frame, first, length);
      ++readout;
      progress.advance();
    }
  }
  return scan;
}

std::vector<ObjectPose> drifting_poses(const ObjectPose& last, Index readouts) {
  std::vector<ObjectPose> poses(static_cast<std::size_t>(readouts));
  for (Index readout = 0; readout < readouts; ++readout) {
    const double part = readouts > 1 ? static_cast<double>(readout) / static_cast<double>(readouts - 1) : 1;
    ObjectPose& pose = poses[static_cast<std::size_t>(readout)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      pose.shift_mm[axis] = part * last.shift_mm[axis];
      pose.rotation_degrees[axis] = part * last.rotation_degrees[axis];
    }
  }
  return poses;
}

}  // namespace whorl
