#include "whorl/scan/shift_field_of_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

void move_geometry(Geometry& geometry, const std::array<Index, 3>& matrix, const std::array<double, 3>& pixels) {
  const std::array directions{geometry.read_direction, geometry.phase_direction, geometry.slice_direction};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double mm = pixels[axis] * geometry.field_of_view_mm[axis] / static_cast<double>(matrix[axis]);
    for (std::size_t row = 0; row < 3; ++row) geometry.position_mm[row] += mm * directions[axis][row];
  }
}

// exp(2 pi i k.r) for all samples of a frame.
void multiply_by_ramp(ScanFrame& frame, int dim, const std::array<double, 3>& pixels) {
  const auto k = frame.trajectory->points.view<2>();
  const auto data = frame.data.view<2>();
  for (Index sample = 0; sample < data.extent(1); ++sample) {
    double turns = 0;
    for (int axis = 0; axis < dim; ++axis) turns += k(sample, axis) * pixels[static_cast<std::size_t>(axis)];
    const std::complex<float> factor(std::polar(1.0, 2 * std::numbers::pi * turns));
    for (Index coil = 0; coil < data.extent(0); ++coil) data(coil, sample) *= factor;
  }
}

// Drops the scan's coil maps, which belong to the former place. Returns the end of the note, empty without maps.
std::string leave_out_maps(Scan& scan) {
  if (scan.coil_maps.size() == 0) return {};
  scan.coil_maps = {};
  return "; the coil maps of the scan, of its former place, were left out";
}

}  // namespace

void shift_field_of_view(Scan& scan, const std::array<double, 3>& pixels) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(pixels[axis]) || (pixels[axis] != 0 && static_cast<int>(axis) >= scan.dim())) {
      throw ValueError(
          fmt::format("field of view: a shift of {} pixels along {} of an image in {}D, expected a finite "
                      "number along its axes",
                      pixels[axis], "xyz"[axis], scan.dim()));
    }
  }
  for (ScanFrame& frame : scan.frames) {
    multiply_by_ramp(frame, scan.dim(), pixels);
    move_geometry(frame.geometry, scan.matrix, pixels);
  }
  const std::string maps = leave_out_maps(scan);
  scan.notes.emplace_back(
      doubt_if(!maps.empty(), fmt::format("Field of view: moved by {:g}, {:g}, {:g} pixels along x, y, z{}.", pixels[0],
                                          pixels[1], pixels[2], maps)));
}

std::array<double, 3> position_in_pixels(const Scan& scan, const ScanFrame& frame) {
  const Geometry& geometry = frame.geometry;
  const std::array directions{geometry.read_direction, geometry.phase_direction, geometry.slice_direction};
  std::array<double, 3> pixels{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
    double mm = 0;
    for (std::size_t row = 0; row < 3; ++row) mm += geometry.position_mm[row] * directions[axis][row];
    if (mm != 0 && !(geometry.field_of_view_mm[axis] > 0)) {
      throw ValueError(fmt::format(
          "field of view: its size along {} is not known, so the position of the header, {:.4g} mm, is in no "
          "pixels; give the shift in pixels",
          "xyz"[axis], mm));
    }
    if (mm != 0) pixels[axis] = mm * static_cast<double>(scan.matrix[axis]) / geometry.field_of_view_mm[axis];
  }
  return pixels;
}

void shift_to_header(Scan& scan) {
  std::vector<std::array<double, 3>> all;
  for (const ScanFrame& frame : scan.frames) all.push_back(position_in_pixels(scan, frame));
  for (std::size_t i = 0; i < all.size(); ++i) multiply_by_ramp(scan.frames[i], scan.dim(), all[i]);
  const std::string maps = leave_out_maps(scan);
  scan.notes.emplace_back(doubt_if(
      !maps.empty(),
      fmt::format(
          "Field of view: the images were moved to the position of the header, {:.4g}, {:.4g}, {:.4g} pixels along "
          "x, y, z in the first frame{}.",
          all[0][0], all[0][1], all[0][2], maps)));
}

}  // namespace whorl
