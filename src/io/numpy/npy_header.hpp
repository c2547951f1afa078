// The header of a .npy file: a Python dictionary as text.
#pragma once

#include <string>
#include <string_view>

#include "whorl/core/shape.hpp"

namespace whorl::io {

struct NpyHeader {
  std::string type;  ///< NumPy's name of the element: "<f4", "<c8", ...
  bool fortran_order = false;
  Shape shape;
};

/// The dictionary, without the padding that the file needs.
std::string format_npy_header(const NpyHeader& header);

/// Reads a dictionary of the three keys in any order. Throws IoError naming the file and what was found.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

}  // namespace whorl::io
