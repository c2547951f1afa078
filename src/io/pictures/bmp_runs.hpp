// Run lengths of BMP: rows of palette indices, which are stored from the bottom up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/pictures/bmp_header.hpp"

namespace whorl::io {

/// Finds where each row begins by going through the file once, so that rows can be read in any order.
class BmpRuns {
 public:
  /// Throws IoError for runs that leave the picture, and for a file that ends before them.
  BmpRuns(PictureFile& file, const BmpHeader& header);

  /// Row `y` from the top; pixels that the file passes over are 0.
  void read_row(PictureFile& file, Index y, std::span<std::uint8_t> indices) const;

 private:
  struct Start {
    std::uintmax_t at = 0;  ///< in the file; 0 for rows that it passes over
    Index x = 0;
  };
  /// The position after a row's runs: `up` rows higher (0 at the end of the picture), at column x.
  struct Next {
    Index up = 0;
    Index x = 0;
  };
  Next read_runs(PictureFile& file, Index x, std::uint8_t* to) const;
  void read_literal(PictureFile& file, Index count, std::uint8_t* to) const;
  void check(const PictureFile& file, Index x) const;

  bool nibbles_;
  Index width_;
  std::vector<Start> rows_;  // from the bottom
};

}  // namespace whorl::io
