#include "whorl/doctor/k_space_center.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "doctor/k_space_center.hpp"
#include "whorl/core/error.hpp"

namespace whorl::doctor {

namespace {

constexpr double spacing = 0.25;
constexpr double most_residual = 0.5;  // beyond, there is no signal to speak of
constexpr int rounds = 5;
constexpr double moved_least = 0.5;
constexpr double close = 0.05;

// The center of squared energies of the fit over its disk or ball, which noise and the outer parts hardly move.
std::array<double, 3> center_of(const detail::CenterFit& fit, int dim, double radius) {
  const auto reach = static_cast<int>(std::floor(radius / spacing));
  const Index reach_z = dim == 3 ? reach : 0;
  // exp(-2 pi i k n / grid), [k, n]
  detail::Matrix<double> phases(2 * reach + 1, fit.grid);
  for (int step = -reach; step <= reach; ++step) {
    for (Index n = 0; n < fit.grid; ++n) {
      const double turns = step * spacing * (static_cast<double>(n) - static_cast<double>(fit.grid - 1) / 2) /
                           static_cast<double>(fit.grid);
      phases(step + reach, n) = std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  }
  const Index plane = fit.grid * fit.grid;
  const Index planes = dim == 3 ? fit.grid : 1;
  std::array<double, 3> moment{};
  double total = 0;
  for (Index kz = -reach_z; kz <= reach_z; ++kz) {
    Eigen::MatrixXd energy = Eigen::MatrixXd::Zero(2 * reach + 1, 2 * reach + 1);
    for (Index c = 0; c < fit.image.cols(); ++c) {
      detail::Matrix<double> slice = detail::Matrix<double>::Zero(fit.grid, fit.grid);  // [x, y]
      for (Index z = 0; z < planes; ++z) {
        const Eigen::Map<const detail::Matrix<double>> part(fit.image.col(c).data() + z * plane, fit.grid, fit.grid);
        slice += dim == 3 ? detail::Matrix<double>(phases(kz + reach, z) * part) : detail::Matrix<double>(part);
      }
      energy += (phases * slice * phases.transpose()).cwiseAbs2();
    }
    for (int y = -reach; y <= reach; ++y) {
      for (int x = -reach; x <= reach; ++x) {
        const std::array<double, 3> k{x * spacing, y * spacing, static_cast<double>(kz) * spacing};
        if (std::hypot(k[0], k[1], k[2]) > radius) continue;
        const double weight = std::pow(energy(x + reach, y + reach), 2);
        total += weight;
        for (std::size_t axis = 0; axis < 3; ++axis) moment[axis] += weight * k[axis];
      }
    }
  }
  if (total > 0) {
    for (double& value : moment) value /= total;
  }
  return moment;
}

}  // namespace

std::optional<Center> find_center(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  const detail::CenterFit& fit = examination.nominal_fit(ctx);
  if (fit.grid == 0 || fit.residual > most_residual) return {};
  const double reach = detail::center_radius(scan.dim()) - 0.5;
  // The disk of the fit is centered where the last one found the center, so that its edge does not matter.
  Center found{center_of(fit, scan.dim(), reach), fit.residual};
  std::array<double, 3>& center = found.k;
  for (int round = 0; round < rounds && std::hypot(center[0], center[1], center[2]) > moved_least; ++round) {
    const detail::CenterFit moved = examination.fit(ctx, [&](Index j) {
      std::array<double, 3> k = examination.nominal(j);
      for (std::size_t axis = 0; axis < 3; ++axis) k[axis] -= center[axis];
      return k;
    });
    if (moved.grid == 0) return {};
    found.residual = moved.residual;
    const std::array<double, 3> more = center_of(moved, scan.dim(), reach);
    for (std::size_t axis = 0; axis < 3; ++axis) center[axis] += more[axis];
    if (std::hypot(more[0], more[1], more[2]) < close) break;
  }
  return found;
}

}  // namespace whorl::doctor

namespace whorl {

namespace {

constexpr double most_apart = 0.5;  // cycles per field of view: of frames and halves
constexpr Index most_frames = 5;
constexpr Index least_halved = 16;  // readouts

// A scan of one frame.
Scan scan_of(const Scan& scan, std::shared_ptr<const Trajectory> trajectory, Array<std::complex<float>> data) {
  Scan one;
  one.matrix = scan.matrix;
  one.coils = scan.coils;
  ScanFrame frame;
  frame.trajectory = std::move(trajectory);
  frame.data = std::move(data);
  one.frames.push_back(std::move(frame));
  return one;
}

// Every second readout of a frame, from `first` on.
Scan half_of(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index first) {
  const Trajectory& all = *frame.trajectory;
  const Index length = all.readout_length;
  const Index readouts = (all.samples() / length - first + 1) / 2;
  Trajectory some{Array<double>(ctx.host(), {readouts * length, all.dim()}), length};
  Array<std::complex<float>> data(ctx.host(), {scan.coils, readouts * length});
  for (Index readout = 0; readout < readouts; ++readout) {
    const Index from = (2 * readout + first) * length;
    std::copy_n(all.points.data() + from * all.dim(), length * all.dim(),
                some.points.data() + readout * length * all.dim());
    for (Index c = 0; c < scan.coils; ++c) {
      std::copy_n(frame.data.data() + c * all.samples() + from, length,
                  data.data() + (c * readouts + readout) * length);
    }
  }
  return scan_of(scan, std::make_shared<const Trajectory>(std::move(some)), std::move(data));
}

// Throws where a frame, or half of one, has another center.
void check_part(const Context& ctx, Scan part, const std::array<double, 3>& center) {
  doctor::Examination examination(std::move(part));
  const auto other = doctor::find_center(ctx, examination);
  if (!other || other->residual > doctor::most_doubt) return;
  const double apart = std::hypot(other->k[0] - center[0], other->k[1] - center[1], other->k[2] - center[2]);
  if (apart <= most_apart) return;
  throw ValueError(
      fmt::format("k-space shift: frames or parts of a frame have centers that are {:.2f} cycles per field of view "
                  "apart, expected {} "
                  "at most; give the shift, or see whorl doctor",
                  apart, most_apart));
}

// Frames, or the halves of a single one; one at a time, since each takes memory.
void check_parts(const Context& ctx, const Scan& scan, const std::array<double, 3>& center) {
  const auto count = static_cast<Index>(scan.frames.size());
  const Index compared = std::min(count, most_frames);
  for (Index i = 1; i < compared; ++i) {
    const ScanFrame& frame = scan.frames[static_cast<std::size_t>(i * count / compared)];
    check_part(ctx, scan_of(scan, frame.trajectory, clone(ctx, frame.data.ref())), center);
  }
  const ScanFrame& only = scan.frames.front();
  const Index length = only.trajectory->readout_length;
  if (count > 1 || length == 0 || only.trajectory->samples() / length < least_halved) return;
  for (const Index half : {0, 1}) check_part(ctx, half_of(ctx, scan, only, half), center);
}

}  // namespace

std::array<double, 3> k_space_center(const Context& ctx, const Scan& scan) {
  if (scan.frames.empty() || scan.coils == 0 || scan.frames.front().data.size() == 0) {
    throw ValueError("k-space shift: the scan has no data, by which to find its center; give the shift");
  }
  const ScanFrame& first = scan.frames.front();
  std::optional<doctor::Center> center;
  {
    doctor::Examination examination(scan_of(scan, first.trajectory, clone(ctx, first.data.ref())));
    center = doctor::find_center(ctx, examination);
  }
  if (center) {
    check_parts(ctx, scan, center->k);
    return center->k;
  }
  throw ValueError(
      "k-space shift: the samples near the center of k-space are too few, or not those of an object within the field "
      "of "
      "view; give the shift, or see whorl doctor");
}

}  // namespace whorl
