#include "whorl/correct/concomitant_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl {

namespace {

using Vector = std::array<double, 3>;

constexpr double most_left_out = 0.1;  // turns
constexpr double most_along_z = 0.01;  // of the gradients' squares

// 2 B_0 B_c of two gradients along unit vectors at a place, the form's polarization: x, y and z of the patient.
double form(const Vector& a, const Vector& b, const Vector& r) {
  const auto field = [&](const Vector& g, std::size_t axis) { return g[axis] * r[2] - g[2] * r[axis] / 2; };
  return field(a, 0) * field(b, 0) + field(a, 1) * field(b, 1);
}

struct Forms {
  double xx;
  double yy;
  double xy;
};

Forms forms_at(const Geometry& geometry, const Vector& r) {
  const Vector& x = geometry.read_direction;
  const Vector& y = geometry.phase_direction;
  return {form(x, x, r), form(y, y, r), form(x, y, r)};
}

// Pixels in m.
Vector pixels_of(const Scan& scan, const Geometry& geometry) {
  Vector pixel{0, 0, 0};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
    pixel[axis] = 1e-3 * geometry.field_of_view_mm[axis] / static_cast<double>(scan.matrix[axis]);
    if (pixel[axis] > 0 && std::isfinite(pixel[axis])) continue;
    throw ValueError(
        "concomitant field: the scan does not say its field of view, expected mm for gradients and places");
  }
  return pixel;
}

// Integrals over time from the first sample of the readout of g_x^2, g_y^2 and g_x g_y, in (cycles/m)^2/s.
struct Integrals {
  Array<double> xx;
  Array<double> yy;
  Array<double> xy;
  double largest = 0;  // of g^2
};

Integrals integrals_of(const Context& ctx, const Trajectory& trajectory, const Vector& pixel, double dwell_s) {
  const Shape shape{trajectory.samples()};
  Integrals made{zeros<double>(ctx, shape), zeros<double>(ctx, shape), zeros<double>(ctx, shape)};
  const auto k = trajectory.points.view<2>();
  const Index length = trajectory.readout_length;
  double in_plane = 0;
  double along_z = 0;
  for (Index j = 0; j < trajectory.samples(); ++j) {
    if (j % length == 0) continue;
    const auto speed = [&](Index axis) {
      return (k(j, axis) - k(j - 1, axis)) / (pixel[static_cast<std::size_t>(axis)] * dwell_s);
    };
    const double x = speed(0);
    const double y = speed(1);
    made.xx.data()[j] = made.xx.data()[j - 1] + x * x * dwell_s;
    made.yy.data()[j] = made.yy.data()[j - 1] + y * y * dwell_s;
    made.xy.data()[j] = made.xy.data()[j - 1] + x * y * dwell_s;
    made.largest = std::max(made.largest, x * x + y * y);
    in_plane += x * x + y * y;
    if (trajectory.dim() == 3) along_z += std::pow(speed(2), 2);
  }
  if (along_z > most_along_z * in_plane) {
    throw ValueError(fmt::format(
        "concomitant field: {:.2g} % of the squares of gradients are along z, expected readouts in planes, such as "
        "spirals and stacks of them",
        100 * along_z / (along_z + in_plane)));
  }
  return made;
}

void check(const ScanFrame& frame, double dwell_us, double larmor_mhz) {
  static_cast<void>(readouts_of(frame, "concomitant field"));
  if (!(dwell_us > 0 && std::isfinite(dwell_us))) {
    throw ValueError(
        fmt::format("concomitant field: {} us between samples, expected more than 0; give the dwell time", dwell_us));
  }
  if (!(larmor_mhz > 0 && std::isfinite(larmor_mhz))) {
    throw ValueError(fmt::format("concomitant field: a Larmor frequency of {} MHz, expected more than 0", larmor_mhz));
  }
}

Vector center_of(const Geometry& geometry) {
  Vector center = geometry.position_mm;
  for (double& along : center) along *= 1e-3;
  return center;
}

// Where a voxel lies in the patient, in m.
Vector place_of(const Scan& scan, const Geometry& geometry, const Vector& pixel, Index voxel) {
  const std::array<Index, 3> at{voxel % scan.matrix[0], voxel / scan.matrix[0] % scan.matrix[1],
                                voxel / (scan.matrix[0] * scan.matrix[1])};
  const std::array directions{geometry.read_direction, geometry.phase_direction, geometry.slice_direction};
  Vector place = center_of(geometry);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index middle = scan.matrix[axis] / 2;
    const double along = static_cast<double>(at[axis] - middle) * pixel[axis];
    for (std::size_t row = 0; row < 3; ++row) place[row] += along * directions[axis][row];
  }
  return place;
}

// With k' = gamma G in cycles/m/s, gamma B_c = k'^2 form / (2 gamma B_0).
double turns_per_form(double larmor_mhz) { return 1 / (2e6 * larmor_mhz); }

}  // namespace

ConcomitantTurns::ConcomitantTurns(const Context& ctx, const Scan& scan, const ScanFrame& frame, double dwell_us,
                                   double larmor_mhz) {
  check(frame, dwell_us, larmor_mhz);
  const Vector pixel = pixels_of(scan, frame.geometry);
  const Integrals integrals = integrals_of(ctx.host(), *frame.trajectory, pixel, 1e-6 * dwell_us);
  const Index samples = frame.trajectory->samples();
  integrals_ = Array<double>(ctx.host(), {samples, 3});
  for (Index j = 0; j < samples; ++j) {
    double* to = integrals_.data() + 3 * j;
    to[0] = integrals.xx.data()[j];
    to[1] = integrals.yy.data()[j];
    to[2] = 2 * integrals.xy.data()[j];
  }
  const Index voxels = scan.image_shape().size();
  forms_ = Array<double>(ctx.host(), {voxels, 3});
  const double scale = turns_per_form(larmor_mhz);
  for (Index v = 0; v < voxels; ++v) {
    const Forms here = forms_at(frame.geometry, place_of(scan, frame.geometry, pixel, v));
    double* to = forms_.data() + 3 * v;
    to[0] = scale * here.xx;
    to[1] = scale * here.yy;
    to[2] = scale * here.xy;
  }
}

ConcomitantField concomitant_field(const Context& ctx, const Scan& scan, const ScanFrame& frame, double dwell_us,
                                   double larmor_mhz) {
  check(frame, dwell_us, larmor_mhz);
  const Context host = ctx.host();
  const Geometry& geometry = frame.geometry;
  const Vector pixel = pixels_of(scan, geometry);
  const Integrals integrals = integrals_of(host, *frame.trajectory, pixel, 1e-6 * dwell_us);
  const double scale = turns_per_form(larmor_mhz);
  const Forms middle = forms_at(geometry, center_of(geometry));

  ConcomitantField field{Array<double>(host, scan.image_shape()), Array<double>(host, {frame.trajectory->samples()}),
                         Array<double>(host, {frame.trajectory->samples()})};
  double differing = 0;
  double crossed = 0;
  for (Index v = 0; v < field.hertz.size(); ++v) {
    const Forms here = forms_at(geometry, place_of(scan, geometry, pixel, v));
    const Forms beyond{here.xx - middle.xx, here.yy - middle.yy, here.xy - middle.xy};
    field.hertz.data()[v] = scale * integrals.largest * (beyond.xx + beyond.yy) / 2;
    differing = std::max(differing, std::abs(beyond.xx - beyond.yy) / 2);
    crossed = std::max(crossed, std::abs(beyond.xy));
  }
  for (Index j = 0; j < field.times.size(); ++j) {
    const double xx = integrals.xx.data()[j];
    const double yy = integrals.yy.data()[j];
    const double xy = integrals.xy.data()[j];
    field.times.data()[j] = integrals.largest > 0 ? (xx + yy) / integrals.largest : 0;
    field.turns.data()[j] = scale * (xx * middle.xx + yy * middle.yy + 2 * xy * middle.xy);
    field.left_out = std::max(field.left_out, scale * (std::abs(xx - yy) * differing + 2 * std::abs(xy) * crossed));
  }
  if (field.left_out > most_left_out) {
    throw ValueError(fmt::format(
        "concomitant field: readouts whose gradients are stronger along one axis leave up to {:.2g} turns that this "
        "correction leaves out, expected {} at most; it is for spirals",
        field.left_out, most_left_out));
  }
  return field;
}

}  // namespace whorl
