// Arrays as NumPy files (.npy).
#pragma once

#include <filesystem>

#include "whorl/core/array.hpp"

namespace whorl {

/// Writes an array of any rank as .npy, version 1.0, C order, little endian; numpy.load reads it.
///
/// T       float, double, std::complex<float>, std::complex<double>
/// Throws  ShapeError (more axes than the header of the format holds), IoError, Cancelled
/// Source  "NEP 1: a simple file format for NumPy arrays"
template <class T>
void write_npy(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> array);

/// Reads a .npy file, version 1.0 or 2.0, whose type is T. Nothing is converted: a file of another type, byte order or
/// memory order (Fortran) is refused, and so is one whose size is not what its header says. Memory is taken only after
/// that check. Values may be anything, non-finite ones too.
///
/// Throws  IoError naming the file, what was expected and what was found; Cancelled
template <class T>
Array<T> read_npy(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
