#include "picture_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  if (count == 0 || (bytes[0] != 'I' && bytes[0] != 'M')) return 0;
  return whorl::fuzz::read_picture({}, bytes, count);
}
