// Pictures as text, for terminals.
#pragma once

#include <string>

#include "whorl/plot/picture.hpp"

namespace WHORL_PUBLIC whorl {

/// The colors that a terminal can show.
enum class TerminalColors {
  none,        ///< characters only: " .:-=+*#%@", from dark to bright
  palette,     ///< the 256 colors of xterm
  true_color,  ///< 24 bits
};

/// The picture with `columns` characters per line, but at most one character per pixel. A character is assumed to be
/// twice as high as wide. In color it shows two pixels, one above the other (U+2580 with foreground and background);
/// without color it shows one. Pixels that share a character are averaged. Each line ends with a line feed, in color
/// after a reset.
/// Throws  ValueError for less than 1 column or a picture without pixels
std::string terminal_text(const Picture& picture, Index columns, TerminalColors colors);

}  // namespace whorl
