#include "whorl/scan/image_center.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr std::array<std::string_view, 2> names{"voxel", "middle"};

}  // namespace

std::string_view to_string(ImageCenter center) { return names[static_cast<std::size_t>(center)]; }

std::vector<std::string> image_center_names() { return {names.begin(), names.end()}; }

ImageCenter image_center_from_string(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<ImageCenter>(i);
  }
  throw ValueError(
      fmt::format("image center \"{}\" is not known; use {} (floor(N/2)) or {} ((N-1)/2)", name, names[0], names[1]));
}

void apply_image_center(Scan& scan, ImageCenter center) {
  if (center == ImageCenter::voxel) return;
  for (ScanFrame& frame : scan.frames) {
    const auto k = frame.trajectory->points.view<2>();
    const auto data = frame.data.view<2>();
    for (Index sample = 0; sample < data.extent(1); ++sample) {
      double half_turns = 0;
      for (int axis = 0; axis < scan.dim(); ++axis) {
        if (scan.matrix[static_cast<std::size_t>(axis)] % 2 == 0) half_turns += k(sample, axis);
      }
      const std::complex<float> factor(std::polar(1.0, std::numbers::pi * half_turns));
      for (Index coil = 0; coil < data.extent(0); ++coil) data(coil, sample) *= factor;
    }
  }
  scan.notes.emplace_back(
      "Image center: the file's coordinate 0 is the middle of the grid, (N-1)/2; the data were shifted to voxel N/2.");
}

}  // namespace whorl
