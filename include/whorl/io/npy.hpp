// Arrays as NumPy files (.npy).
#pragma once

#include <filesystem>

#include "whorl/core/array.hpp"
#include "whorl/io/any_array.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes an array of any rank as .npy, version 1.0, C order, little endian; numpy.load reads it.
///
/// T       float, double, std::complex<float>, std::complex<double>
/// Throws  ShapeError (more axes than the format's header can hold), IoError, Cancelled
/// Source  "NEP 1: a simple file format for NumPy arrays"
template <class T>
WHORL_PUBLIC void write_npy(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> array);

/// Reads a .npy file, version 1.0 to 3.0, of integers, float16 to float64 or complex numbers, in any byte order and
/// memory order. Types are converted as in read_arrays (io/array_files.hpp). The header is checked against the file's
/// size before memory is allocated. Values may be NaN or infinite.
///
/// Throws  IoError naming the file, what was expected and what was found; Cancelled
AnyArray read_npy(const Context& ctx, const std::filesystem::path& path);

/// read_npy for a known type, without further conversion.
/// Throws  IoError if the elements are not T
template <class T>
WHORL_PUBLIC Array<T> read_npy(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
