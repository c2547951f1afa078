#include "whorl/io/npy.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto path = fuzz::write("a.npy", bytes, count);
  fuzz::expect_result_or_error([&](const Context& ctx) { read_npy(ctx, path); });
  return 0;
}
