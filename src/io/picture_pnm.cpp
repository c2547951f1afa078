#include <fmt/format.h>

#include <charconv>

#include "io/picture.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// Takes a number of the header, after blanks and comments.
Index next_number(std::string_view& rest, const std::string& name) {
  while (!rest.empty()) {
    if (rest.front() == '#') {
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    } else if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\n' || rest.front() == '\r') {
      rest.remove_prefix(1);
    } else {
      break;
    }
  }
  Index number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc{} || number < 1) {
    throw IoError(fmt::format("'{}': its header has no width, height and largest value above 0", name));
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

}  // namespace

Array<float> decode_pnm(const Context& ctx, std::string_view bytes, const std::string& name) {
  const Index channels = bytes.starts_with("P6") ? 3 : 1;
  std::string_view rest = bytes.substr(2);
  const Index width = next_number(rest, name);
  const Index height = next_number(rest, name);
  const Index largest = next_number(rest, name);
  constexpr Index most_sixteen_bits = 65535;
  constexpr Index most_eight_bits = 255;
  if (largest > most_sixteen_bits) {
    throw IoError(fmt::format("'{}': its largest value is {}, expected at most {}", name, largest, most_sixteen_bits));
  }
  if (!rest.empty()) rest.remove_prefix(1);  // the one blank that ends the header
  const bool wide = largest > most_eight_bits;
  const auto have = static_cast<Index>(rest.size()) / (wide ? 2 : 1) / channels;
  if (width > have || height > have / width) {
    throw IoError(fmt::format("'{}': {} x {} pixels take more than the {} bytes after its header: it is truncated",
                              name, width, height, rest.size()));
  }
  Array<float> picture(ctx, channels == 1 ? Shape{height, width} : Shape{channels, height, width});
  for (Index pixel = 0; pixel < width * height; ++pixel) {
    for (Index channel = 0; channel < channels; ++channel) {
      const auto at = static_cast<std::size_t>(pixel * channels + channel);
      const auto byte = [&](std::size_t place) { return static_cast<float>(static_cast<unsigned char>(rest[place])); };
      // The more significant byte comes first.
      picture.data()[channel * width * height + pixel] = wide ? 256 * byte(2 * at) + byte(2 * at + 1) : byte(at);
    }
  }
  return picture;
}

}  // namespace whorl::io
