// Whole measurements by MRD v1: configuration, header, texts, acquisitions, images.
#include "session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  whorl::fuzz::answer_session({reinterpret_cast<const std::byte*>(bytes), count});
  return 0;
}
