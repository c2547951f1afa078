// BART's pair: the text up to the first zero byte is the header, the rest the data.
#include <algorithm>

#include "fuzz_target.hpp"
#include "io/cfl/cfl.hpp"
#include "io/cfl/scan_cfl.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto end = static_cast<std::size_t>(std::find(bytes, bytes + count, 0) - bytes);
  const std::size_t data = std::min(end + 1, count);
  const auto path = fuzz::write("a.hdr", bytes, end);
  fuzz::write("a.cfl", bytes + data, count - data);
  fuzz::write("a_traj.hdr", bytes, end);
  fuzz::write("a_traj.cfl", bytes + data, count - data);
  fuzz::expect_result_or_error([&](const Context& ctx) { io::read_cfl(ctx, io::find_cfl(path)); });
  fuzz::expect_result_or_error([&](const Context& ctx) { io::read_scan_cfl(ctx, path); });
  return 0;
}
