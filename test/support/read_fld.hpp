// Images of MIRT's .fld files, for tests: a text, two form feeds, 128 x 128 floats with their first byte first.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "whorl/core/array.hpp"

namespace whorl::test {

inline Array<float> read_fld(const Context& ctx, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t start = text.find("\f\f") + 2;
  Array<float> values(ctx, {128, 128});
  for (Index i = 0; i < values.size(); ++i) {
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      bits = bits << 8U | static_cast<unsigned char>(text.at(start + static_cast<std::size_t>(4 * i) + b));
    }
    values.data()[i] = std::bit_cast<float>(bits);
  }
  return values;
}

}  // namespace whorl::test
