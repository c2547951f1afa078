// mri-q's two files, and mri-gridding's header with its records after the first zero byte.
#include <algorithm>

#include "fuzz_target.hpp"
#include "io/parboil/parboil.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto path = fuzz::write("a.bin", bytes, count);
  fuzz::expect_result_or_error([&](const Context& ctx) { io::read_mri_q_input(ctx, path); });
  fuzz::expect_result_or_error([&](const Context& ctx) { io::read_mri_q_output(ctx, path); });
  const auto end = static_cast<std::size_t>(std::find(bytes, bytes + count, 0) - bytes);
  const std::size_t data = std::min(end + 1, count);
  const auto header = fuzz::write("a.uks", bytes, end);
  fuzz::write("a.uks.data", bytes + data, count - data);
  fuzz::expect_result_or_error([&](const Context& ctx) { io::read_gridding(ctx, header); });
  return 0;
}
