// A caption below a picture.
#pragma once

#include <string>
#include <vector>

#include "whorl/plot/picture.hpp"

namespace WHORL_PUBLIC whorl {

/// The picture with lines of white text on black below it, left-aligned. Lines wider than the picture are wrapped; a
/// word wider than the picture is cut at the right edge.
/// Throws  ValueError (a picture without pixels or too large)
Picture with_caption(const Picture& picture, const std::vector<std::string>& lines);

}  // namespace whorl
