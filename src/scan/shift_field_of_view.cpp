#include "whorl/scan/shift_field_of_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

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
    const auto k = frame.trajectory->points.view<2>();
    const auto data = frame.data.view<2>();
    for (Index sample = 0; sample < data.extent(1); ++sample) {
      double turns = 0;
      for (int axis = 0; axis < scan.dim(); ++axis) turns += k(sample, axis) * pixels[static_cast<std::size_t>(axis)];
      const std::complex<float> factor(std::polar(1.0, 2 * std::numbers::pi * turns));
      for (Index coil = 0; coil < data.extent(0); ++coil) data(coil, sample) *= factor;
    }
    move_geometry(frame.geometry, scan.matrix, pixels);
  }
  std::string maps;
  if (scan.coil_maps.size() > 0) {
    scan.coil_maps = {};
    maps = "; the coil maps of the scan, of its former place, were left out";
  }
  scan.notes.push_back(fmt::format("Field of view: moved by {:g}, {:g}, {:g} pixels along x, y, z{}.", pixels[0],
                                   pixels[1], pixels[2], maps));
}

}  // namespace whorl
