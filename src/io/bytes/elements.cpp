#include "io/bytes/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/bytes/exact_integer.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Kind = ElementType::Kind;

constexpr std::size_t part_bytes = std::size_t{1} << 22U;

/// IEEE 754 binary16: 1 bit of sign, 5 of exponent (bias 15), 10 of mantissa.
float half_to_float(std::uint16_t bits) {
  const auto exponent = static_cast<int>(bits >> 10U & 0x1FU);
  const auto mantissa = static_cast<float>(bits & 0x3FFU);
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1F) return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

struct Half {
  std::uint16_t bits;
  explicit operator float() const { return half_to_float(bits); }
};

/// Reverses the bytes of every number of `width` bytes.
void swap_bytes(std::vector<unsigned char>& bytes, std::size_t count, std::size_t width) {
  for (std::size_t first = 0; first < count; first += width) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
    std::reverse(begin, begin + static_cast<std::ptrdiff_t>(width));
  }
}

template <class Stored, class T>
AnyArray read_as(const Context& ctx, ByteSource& source, const ElementType& type, const Shape& shape) {
  Array<T> array(ctx, shape);
  const auto size = static_cast<std::size_t>(shape.size());
  constexpr std::size_t part = part_bytes / sizeof(Stored);
  std::vector<unsigned char> buffer(std::min(size, part) * sizeof(Stored));
  const std::size_t number_bytes = type.kind == Kind::complex ? type.bytes / 2 : type.bytes;
  for (std::size_t first = 0; first < size; first += part) {
    ctx.check_cancel("reading");
    const std::size_t count = std::min(part, size - first);
    source.read(buffer.data(), count * sizeof(Stored));
    if (type.swapped && number_bytes > 1) swap_bytes(buffer, count * sizeof(Stored), number_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      Stored stored;
      std::memcpy(&stored, buffer.data() + i * sizeof(Stored), sizeof(Stored));
      if constexpr (std::integral<Stored> && sizeof(Stored) == 8) {
        if (!fits_double(stored)) {
          fail_inexact(fmt::format("'{}'", source.name()), static_cast<Index>(first + i), fmt::to_string(stored));
        }
      }
      array.data()[first + i] = static_cast<T>(stored);
    }
  }
  return array;
}

using Read = AnyArray (*)(const Context&, ByteSource&, const ElementType&, const Shape&);

Read reader_of(const ElementType& type) {
  switch (type.kind) {
    case Kind::signed_integer:
      if (type.bytes == 1) return &read_as<std::int8_t, float>;
      if (type.bytes == 2) return &read_as<std::int16_t, float>;
      if (type.bytes == 4) return &read_as<std::int32_t, double>;
      return type.bytes == 8 ? &read_as<std::int64_t, double> : nullptr;
    case Kind::unsigned_integer:
      if (type.bytes == 1) return &read_as<std::uint8_t, float>;
      if (type.bytes == 2) return &read_as<std::uint16_t, float>;
      if (type.bytes == 4) return &read_as<std::uint32_t, double>;
      return type.bytes == 8 ? &read_as<std::uint64_t, double> : nullptr;
    case Kind::floating:
      if (type.bytes == 2) return &read_as<Half, float>;
      if (type.bytes == 4) return &read_as<float, float>;
      return type.bytes == 8 ? &read_as<double, double> : nullptr;
    case Kind::complex:
      if (type.bytes == 8) return &read_as<std::complex<float>, std::complex<float>>;
      return type.bytes == 16 ? &read_as<std::complex<double>, std::complex<double>> : nullptr;
  }
  return nullptr;
}

}  // namespace

void fail_inexact(const std::string& source, Index element, const std::string& number) {
  throw IoError(fmt::format(
      "{}: element {} is {}, of which float64 loses digits (it holds whole numbers up to 2^53); convert the "
      "array to float64 first if that is exact enough",
      source, element, number));
}

bool is_readable(const ElementType& type) { return reader_of(type) != nullptr; }

AnyArray read_elements(const Context& ctx, ByteSource& source, const ElementType& type, const Shape& shape) {
  const Read read = reader_of(type);
  if (read == nullptr)
    throw Unsupported(fmt::format("'{}': elements of {} bytes of that kind", source.name(), type.bytes));
  if (static_cast<std::uintmax_t>(shape.size()) > source.limit() / type.bytes) {
    throw IoError(
        fmt::format("'{}': an array of shape {} takes {} bytes an element, more than the file can hold: it is "
                    "truncated or damaged",
                    source.name(), to_string(shape), type.bytes));
  }
  return read(ctx, source, type, shape);
}

AnyArray reverse_axes(const Context& ctx, const AnyArray& array) {
  return std::visit(
      [&]<class T>(const Array<T>& from) -> AnyArray {
        const int rank = from.rank();
        std::vector<Index> extents(from.shape().begin(), from.shape().end());
        std::vector<Index> strides(extents.size(), 1);  // of `from`, in elements
        for (int axis = rank - 2; axis >= 0; --axis) {
          const auto at = static_cast<std::size_t>(axis);
          strides[at] = strides[at + 1] * extents[at + 1];
        }
        std::reverse(extents.begin(), extents.end());
        std::reverse(strides.begin(), strides.end());
        Array<T> to(ctx, Shape(extents));
        std::vector<Index> index(extents.size(), 0);
        Index place = 0;
        for (T& element : to.span()) {
          element = from.data()[place];
          for (int axis = rank - 1; axis >= 0; --axis) {
            const auto at = static_cast<std::size_t>(axis);
            place += strides[at];
            if (++index[at] < extents[at]) break;
            place -= strides[at] * extents[at];
            index[at] = 0;
          }
        }
        return to;
      },
      array);
}

}  // namespace whorl::io
