// ImageCenter: which point of the image has coordinate 0 in a scan's Fourier transform.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace whorl {

/// Text names: voxel, middle.
enum class ImageCenter {
  voxel,   ///< the center of voxel floor(N/2): whorl's own, and that of most programs
  middle,  ///< the middle of the grid, (N-1)/2: between two voxels where N is even (PowerGrid, some simulations)
};

std::string_view to_string(ImageCenter center);

/// All text names.
std::vector<std::string> image_center_names();

/// The center of that text name. Throws ValueError listing the names.
ImageCenter image_center_from_string(std::string_view name);

/// Brings the data of a scan from the given convention to whorl's own. With `middle`, a voxel of an even axis lies half
/// a pixel further along it, so that the data carry a factor exp(-i pi k) of that axis, which is taken away; the noise
/// is left as it is. A note says what was done.
void apply_image_center(Scan& scan, ImageCenter center);

}  // namespace whorl
