// ImageCenter: the point of the image with coordinate 0 in a scan's Fourier transform.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Text names: voxel, middle.
enum class ImageCenter {
  voxel,   ///< the center of voxel floor(N/2), as in whorl and most programs
  middle,  ///< the middle of the grid, (N-1)/2: between two voxels for even N (PowerGrid, some simulations)
};

std::string_view to_string(ImageCenter center);

/// All text names.
std::vector<std::string> image_center_names();

/// The center with this text name. Throws ValueError, listing the names.
ImageCenter image_center_from_string(std::string_view name);

/// Converts the data of a scan from the given convention to whorl's. With `middle`, the voxels of an even axis lie half
/// a pixel further along it, so the data have a factor exp(-i pi k) for that axis; this removes it. The noise scan does
/// not change. A note reports the conversion.
void apply_image_center(Scan& scan, ImageCenter center);

}  // namespace whorl
