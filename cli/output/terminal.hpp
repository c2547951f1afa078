// The terminal that the program prints on.
#pragma once

namespace whorl::cli {

struct TerminalSize {
  int columns = 0;
  int rows = 0;
};

/// Zeros where the file is no terminal, or does not say its size.
TerminalSize terminal_size(int file);

}  // namespace whorl::cli
