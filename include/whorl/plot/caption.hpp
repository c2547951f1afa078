// Words below a picture.
#pragma once

#include <string>
#include <vector>

#include "whorl/plot/picture.hpp"

namespace whorl {

/// The picture with lines of white text on black below it, from its left edge. Words that do not fit into the picture's
/// width go to a line of their own; a word that is wider by itself is cut at the right edge.
/// Throws  ValueError (a picture without pixels or too large)
Picture with_caption(const Picture& picture, const std::vector<std::string>& lines);

}  // namespace whorl
