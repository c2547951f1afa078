// A colorbar with numbers beside a picture.
#pragma once

#include <string>

#include "whorl/plot/montage.hpp"

namespace WHORL_PUBLIC whorl {

/// The picture with a bar at its right that shows the values of the colors. The numbers are round. The label, which may
/// be empty, is written along them. The bar is as high as the picture, but at least 120 pixels.
/// Throws  ValueError (a window without extent, a picture without pixels or too large)
Picture with_colorbar(const Picture& picture, Colormap colormap, const DisplayWindow& window,
                      const std::string& label = {});

}  // namespace whorl
