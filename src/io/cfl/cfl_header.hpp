// The header (.hdr) of BART's pair of files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::io {

struct CflHeader {
  std::vector<Index> dimensions;  ///< the first is fastest in memory; 1 to 16 of them, none below 1
  std::string scan;               ///< JSON of the section "# Whorl" (io/scans/scan_arrays.hpp), or empty
};

/// BART's limit (DIMS).
inline constexpr std::size_t most_cfl_dimensions = 16;

/// Throws IoError, naming the file and what was found. Unknown sections are ignored.
CflHeader parse_cfl_header(std::string_view text, const std::string& file);

/// All 16 dimensions, as BART writes them.
std::string format_cfl_header(const CflHeader& header);

}  // namespace whorl::io
