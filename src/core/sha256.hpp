// SHA-256 of a stream of bytes (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/internal.hpp"

namespace whorl {

class WHORL_INTERNAL Sha256 {
 public:
  void add(const void* bytes, std::size_t count);
  /// 64 hexadecimal digits; may be called once.
  std::string digits();

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  // bytes that do not fill a block yet
  std::uint64_t bytes_ = 0;
};

}  // namespace whorl
