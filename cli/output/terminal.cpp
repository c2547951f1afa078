#include "cli/output/terminal.hpp"

#include <sys/ioctl.h>

namespace whorl::cli {

TerminalSize terminal_size(int file) {
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace whorl::cli
