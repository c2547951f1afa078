// Pictures as text, for terminals.
#pragma once

#include <string>

#include "whorl/plot/picture.hpp"

namespace whorl {

/// What a terminal can show.
enum class TerminalColors {
  none,        ///< letters alone: " .:-=+*#%@", the brighter the denser
  palette,     ///< the 256 colors of xterm
  true_color,  ///< 24 bits
};

/// The picture in `columns` letters a line or, where that is less, one letter a pixel. A letter is taken for twice as
/// high as wide: in color it shows two pixels, one above the other (U+2580 with foreground and background), else one of
/// that shape. Pixels that share a letter are averaged. Every line ends with a line feed, in color behind a reset.
/// Throws  ValueError for less than 1 column or a picture without pixels
std::string terminal_text(const Picture& picture, Index columns, TerminalColors colors);

}  // namespace whorl
