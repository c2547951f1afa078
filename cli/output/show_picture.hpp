// Where a picture goes: a PNG file, or the terminal.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/output/terminal.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl::cli {

struct ShowOptions {
  std::string output;          ///< PNG; empty: the terminal
  Index columns = 0;           ///< of the terminal; 0: as it says
  std::string color = "auto";  ///< of the terminal: auto, always or never
};

/// The most letters per line with which a picture, two of its lines in a line of letters, leaves room for its caption.
Index fitting_columns(const Picture& picture, const TerminalSize& terminal);

void add_show_options(App& app, ShowOptions& options);

/// Writes the PNG, or prints the picture and then `caption` on standard output.
void show_picture(const Session& session, const Picture& picture, const std::string& caption,
                  const ShowOptions& options);

}  // namespace whorl::cli
