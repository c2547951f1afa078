// MATLAB files: numeric arrays of versions 4, 5 and 7.3, through matio where whorl was built with it.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/io/array_files.hpp"

namespace whorl {

/// The numeric variables; cells, structures, text and the like are left out. Axes are in C order: those of MATLAB's
/// size() reversed, so that the memory is the file's. Types become those of AnyArray as read_arrays says.
/// Throws IoError (missing, damaged or foreign file, no numeric variable), Unsupported (built without matio),
/// Cancelled.
std::vector<NamedArray> read_matlab(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
