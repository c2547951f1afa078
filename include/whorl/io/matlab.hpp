// MATLAB files: numeric arrays of version 7.3, and of versions 4 and 5 if whorl was built with matio.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/io/array_files.hpp"

namespace WHORL_PUBLIC whorl {

/// The numeric variables, and those inside structures and cells by their names in MATLAB: scan.kdata, scan(2).kdata,
/// coils{3}. Text, sparse matrices and objects are skipped; version 7.3 may come from other programs (h5py, MAT.jl). Axes are in C order: the reverse of MATLAB's
/// size(), with the same memory. Types are converted as in read_arrays.
/// Throws  IoError (missing or damaged file, another format, no numeric variable), Unsupported (version 4 or 5,
///         built without matio), Cancelled
std::vector<NamedArray> read_matlab(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
