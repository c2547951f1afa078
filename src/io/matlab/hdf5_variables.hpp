// MATLAB's files of version 7.3, which are HDF5: variables, fields of structures and cells by their names in MATLAB.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/io/array_files.hpp"

namespace whorl::io {

/// True for a file of version 7.3, also where another program wrote it.
bool is_matlab_hdf5(const std::filesystem::path& path);

/// The numeric arrays, named as in MATLAB: "kdata", "scan.kdata", "scan(2).kdata", "coils{3}". Text, tables, sparse
/// matrices and objects are left out. The attributes that MATLAB writes may be missing or padded in any way.
/// Throws  as read_matlab
std::vector<NamedArray> read_matlab_hdf5(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl::io
