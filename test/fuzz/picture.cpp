#include "io/picture.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  if (!io::is_picture(text)) return 0;
  const auto path = fuzz::write("a.png", bytes, count);
  fuzz::expect_result_or_error([&](const Context& ctx) { io::read_picture(ctx, path); });
  return 0;
}
