// MATLAB files: numeric arrays of versions 4, 5 and 7.3, if whorl was built with matio.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/io/array_files.hpp"

namespace WHORL_PUBLIC whorl {

/// The numeric variables; cells, structures, text and others are skipped. Axes are in C order: the reverse of MATLAB's
/// size(), with the same memory. Types are converted as in read_arrays.
/// Throws  IoError (missing or damaged file, another format, no numeric variable), Unsupported (built without matio),
///         Cancelled
std::vector<NamedArray> read_matlab(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
