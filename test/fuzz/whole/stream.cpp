// Whole measurements by MRD v2.
#include "session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  whorl::fuzz::filter_stream({reinterpret_cast<const std::byte*>(bytes), count});
  return 0;
}
