#include "io/numpy/npy_stream.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "io/bytes/elements.hpp"
#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// "<f4": byte order, kind, bytes. Not readable (0 bytes) for other texts.
ElementType element_type_of(std::string_view type) {
  ElementType element{.bytes = 0};
  if (type.size() < 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos) return element;
  element.swapped = type[0] == '>';
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
  if (error != std::errc{} || end != type.data() + type.size()) return element;
  switch (type[1]) {
    case 'i':
      element.kind = ElementType::Kind::signed_integer;
      break;
    case 'b':  // a byte that is 0 or 1
      if (bytes != 1) return element;
      [[fallthrough]];
    case 'u':
      element.kind = ElementType::Kind::unsigned_integer;
      break;
    case 'f':
      element.kind = ElementType::Kind::floating;
      break;
    case 'c':
      element.kind = ElementType::Kind::complex;
      break;
    default:
      return element;
  }
  element.bytes = bytes;
  return element;
}

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  std::array<char, 8> start{};
  source.read(start.data(), start.size());
  if (std::string_view(start.data(), npy_magic.size()) != npy_magic) {
    throw IoError(fmt::format("'{}' is not a .npy file: it does not begin with \\x93NUMPY", source.name()));
  }
  const int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3) {
    throw IoError(fmt::format("'{}': expected .npy version 1, 2 or 3, got {}", source.name(), major));
  }
  std::array<unsigned char, 4> length{};
  source.read(length.data(), major == 1 ? 2 : 4);
  const std::size_t count =
      length[0] + (std::size_t{length[1]} << 8U) + (std::size_t{length[2]} << 16U) + (std::size_t{length[3]} << 24U);
  // NumPy itself refuses dictionaries of more than 10,000 characters.
  constexpr std::size_t longest = std::size_t{1} << 20U;
  if (count > source.limit() || count > longest) {
    throw IoError(fmt::format("'{}' is not a valid .npy file: its header is said to have {} bytes, the file has {}",
                              source.name(), count, source.limit()));
  }
  std::string text(count, '\0');
  source.read(text.data(), count);
  return parse_npy_header(text, source.name());
}

AnyArray read_npy_elements(const Context& ctx, ByteSource& source, const NpyHeader& header) {
  const ElementType type = element_type_of(header.type);
  if (header.type.starts_with('[')) {
    throw IoError(
        fmt::format("'{}' holds records of several fields, {}; expected numbers: save a field of it "
                    "(array['name'])",
                    source.name(), printable(header.type, 60)));
  }
  if (!is_readable(type)) {
    throw IoError(
        fmt::format("'{}' holds elements of type '{}', expected integers, float16 to float64 or complex64/128; "
                    "convert it with numpy's astype",
                    source.name(), printable(header.type)));
  }
  if (!header.fortran_order) {
    AnyArray array = read_elements(ctx, source, type, header.shape);
    if (!source.at_end()) {
      throw IoError(fmt::format("'{}' is longer than its array of shape {} and type '{}'", source.name(),
                                to_string(header.shape), header.type));
    }
    return array;
  }
  // The first axis is fastest: the memory is that of the reversed axes in C order.
  const std::vector<Index> reversed(std::make_reverse_iterator(header.shape.end()),
                                    std::make_reverse_iterator(header.shape.begin()));
  return reverse_axes(ctx, read_npy_elements(ctx, source, {header.type, false, Shape(reversed)}));
}

// Length of the dictionary in 2 bytes, dictionary, blanks and a line end to a multiple of 64 bytes.
std::string make_npy_preamble(const NpyHeader& header) {
  std::string dictionary = format_npy_header(header);
  constexpr std::size_t fixed = npy_magic.size() + 4;
  dictionary.resize((fixed + dictionary.size() + 1 + 63) / 64 * 64 - fixed - 1, ' ');
  dictionary += '\n';
  if (dictionary.size() > 0xFFFF) {
    throw ShapeError(fmt::format("writing .npy: an array of {} axes does not fit the format", header.shape.rank()));
  }
  std::string preamble(npy_magic);
  preamble += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF), static_cast<char>(dictionary.size() >> 8U)};
  return preamble + dictionary;
}

std::string npy_type_of(const AnyArray& array) {
  constexpr std::array<const char*, 4> names{"<f4", "<f8", "<c8", "<c16"};  // in the order of AnyArray
  return names[array.index()];
}

}  // namespace whorl::io
