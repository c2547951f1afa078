#include "cli/output/show_picture.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "whorl/plot/terminal.hpp"

namespace whorl::cli {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// NO_COLOR: no-color.org. COLORTERM is how terminals say that they show 24 bits; others have the palette of 256.
TerminalColors colors_for(const std::string& wish) {
  if (wish == "always") return TerminalColors::true_color;
  const std::string_view kind = environment("TERM");
  const bool plain = ::isatty(STDOUT_FILENO) == 0 || !environment("NO_COLOR").empty() || kind.empty() || kind == "dumb";
  if (wish == "never" || plain) return TerminalColors::none;
  const std::string_view depth = environment("COLORTERM");
  if (depth == "truecolor" || depth == "24bit" || kind.ends_with("direct")) return TerminalColors::true_color;
  return kind.find("256") != std::string_view::npos ? TerminalColors::palette : TerminalColors::none;
}

bool shows_in_terminal(const ShowOptions& options) { return options.output.empty(); }

const OptionTable<ShowOptions>& terminal_table() {
  static const OptionTable<ShowOptions> table =
      OptionTable<ShowOptions>("terminal")
          .group("Terminal")
          .integer("columns", &ShowOptions::columns, {0, 10000}, "",
                   "Letters per line (0: as many as the terminal has, or 80)")
          .when("a picture in the terminal", &shows_in_terminal)
          .text("color", &ShowOptions::color,
                "Colors of 24 bits (always), letters alone (never), or colors if the output is a terminal and NO_COLOR "
                "is not set (auto)",
                {"auto", "always", "never"})
          .when("a picture in the terminal", &shows_in_terminal);
  return table;
}

}  // namespace

Index fitting_columns(const Picture& picture, const TerminalSize& terminal) {
  constexpr Index usual = 80;
  constexpr Index below = 2;  // the caption and the next prompt
  const Index columns = terminal.columns > 0 ? Index{terminal.columns} : usual;
  if (terminal.rows <= below || picture.height == 0) return columns;
  const Index lines = 2 * (terminal.rows - below);
  return std::clamp<Index>(lines * picture.width / picture.height, 1, columns);
}

void add_show_options(App& app, ShowOptions& options) {
  app.add_output("-o,--output", options.output, png_output(),
                 "Picture to write (.png); without it the terminal shows the picture");
  add_options(app, options, terminal_table());
}

void show_picture(const Session& session, const Picture& picture, const std::string& caption,
                  const ShowOptions& options) {
  if (options.output.empty()) {
    const Index columns =
        options.columns > 0 ? options.columns : fitting_columns(picture, terminal_size(STDOUT_FILENO));
    // The colors are escape sequences of its own.
    std::fputs(terminal_text(picture, columns, colors_for(options.color)).c_str(), stdout);
  } else {
    write_picture(session.ctx, options.output, picture);
  }
  if (!session.quiet) {
    print(caption + "\n");
    if (!options.output.empty()) print(fmt::format("wrote {}\n", options.output));
  }
}

}  // namespace whorl::cli
