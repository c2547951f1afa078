#include "picture_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  return whorl::fuzz::read_picture("BM", bytes, count);
}
