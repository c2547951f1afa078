// A .npy array from any source of bytes: a file, or a member of a .npz archive.
#pragma once

#include <string>

#include "io/bytes/byte_source.hpp"
#include "io/numpy/npy_header.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/any_array.hpp"

namespace whorl::io {

/// The first bytes of a .npy file.
inline constexpr std::string_view npy_magic("\x93NUMPY", 6);

/// Everything before the elements. Throws IoError naming the source.
NpyHeader read_npy_header(ByteSource& source);

/// The elements, which must end with the source. Every numeric type, byte order and memory order is read.
/// Throws  IoError (a type that is not numeric, another size than the header's), Cancelled
AnyArray read_npy_elements(const Context& ctx, ByteSource& source, const NpyHeader& header);

/// Magic, version 1.0, dictionary and padding. Throws ShapeError for more axes than the format holds.
std::string make_npy_preamble(const NpyHeader& header);

/// NumPy's name of the type of an array: "<f4", "<f8", "<c8" or "<c16".
std::string npy_type_of(const AnyArray& array);

}  // namespace whorl::io
