#include "whorl/io/nifti.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto path = fuzz::write("a.nii", bytes, count);
  fuzz::expect_result_or_error([&](const Context& ctx) { read_nifti(ctx, path); });
  return 0;
}
