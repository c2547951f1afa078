// Messages of MRD v1 as a peer sends them: what is read has the same bytes again when it is written and read once more.
#include "../support/memory_stream.hpp"
#include "fuzz_target.hpp"
#include "serve/mrd_reader.hpp"
#include "serve/mrd_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  fuzz::expect_result_or_error([&](const Context& /*ctx*/) {
    test::MemoryStream stream({first, first + count}, 100);
    serve::MrdReader reader(stream);
    while (const std::optional<serve::Message> message = reader.next()) {
      const std::vector<std::byte> written = serve::encode(*message);
      test::MemoryStream again(written);
      if (serve::encode(serve::MrdReader(again).next().value()) != written) std::abort();
    }
  });
  return 0;
}
