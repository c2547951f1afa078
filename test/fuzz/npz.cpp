// Archives as arrays, and as scans with whorl's header.
#include "io/numpy/npz.hpp"
#include "fuzz_target.hpp"
#include "io/scans/scan_arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto path = fuzz::write("a.npz", bytes, count);
  fuzz::expect_result_or_error([&](const Context& ctx) {
    io::NpzContents contents = io::read_npz(ctx, path);
    io::scan_from_arrays(ctx, std::move(contents.arrays), contents.header, "fuzz");
  });
  return 0;
}
