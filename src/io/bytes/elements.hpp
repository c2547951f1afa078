// Elements of arrays as stored in files, and their conversion to whorl's four types.
#pragma once

#include <cstddef>
#include <string>

#include "io/bytes/byte_source.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/any_array.hpp"

namespace whorl::io {

/// A numeric type of a file.
struct ElementType {
  enum class Kind { signed_integer, unsigned_integer, floating, complex };
  Kind kind = Kind::floating;
  std::size_t bytes = 4;  ///< of the whole element: 8 for complex64
  bool swapped = false;   ///< the other byte order than this machine's

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// True if read_elements can read it: integers of 1, 2, 4 and 8 bytes, float of 2, 4 and 8, complex of 8 and 16.
bool is_readable(const ElementType& type);

/// Reads shape.size() elements in the order of memory: integers of 1 and 2 bytes and half floats become float32, longer
/// integers float64, the others stay.
/// Throws  IoError (a source that cannot hold this many bytes, checked before memory is allocated; one that ends
///         early; an integer beyond 2^53 of which float64 would lose digits), Cancelled
AnyArray read_elements(const Context& ctx, ByteSource& source, const ElementType& type, const Shape& shape);

/// The array with its axes in the reverse order: element (i, j, k) of the result is (k, j, i) of the given one.
AnyArray reverse_axes(const Context& ctx, const AnyArray& array);

}  // namespace whorl::io
