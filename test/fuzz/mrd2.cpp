// Streams of MRD v2 as a peer sends them: what is read has the same bytes again when it is written and read once more. The
// first byte says which schema comes before the others: that of a version, or none, so that the bytes bring their own.
#include "../support/memory_stream.hpp"
#include "fuzz_target.hpp"
#include "serve/mrd2/encoder.hpp"
#include "serve/mrd2/schemas.hpp"

namespace {

using namespace whorl::serve::mrd2;

void check_again(const Type& type, const Json& value) {
  constexpr std::size_t most = std::size_t{1} << 22;
  Encoder encoder;
  encoder.write(type, value);
  const std::vector<std::byte> written = encoder.take();
  whorl::test::MemoryStream again(written);
  encoder.write(type, Decoder(again, most).read(type, "again"));
  if (encoder.take() != written) std::abort();
}

void read_all(Decoder& decoder, const Schema& schema) {
  for (const Member& step : schema.steps()) {
    if (step.type->kind != Kind::stream) {
      check_again(*step.type, decoder.read(*step.type, step.name));
      continue;
    }
    while (const std::uint64_t items = decoder.read_count(step.name)) {
      for (std::uint64_t i = 0; i < items; ++i) {
        check_again(*step.type->item, decoder.read(*step.type->item, step.name));
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  static const std::array known{Schema(schema_2_1_1), Schema(schema_2_2_1)};
  if (count == 0) return 0;
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  fuzz::expect_result_or_error([&](const Context& /*ctx*/) {
    constexpr std::size_t most = std::size_t{1} << 20;
    test::MemoryStream stream({first + 1, first + count}, 100);
    Decoder decoder(stream, most);
    if (bytes[0] < known.size()) {
      read_all(decoder, known[bytes[0]]);
    } else {
      read_all(decoder, decoder.read_schema());
    }
  });
  return 0;
}
