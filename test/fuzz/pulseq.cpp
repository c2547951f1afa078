// Pulseq's text. A short file may ask for many samples: that is refused from a limit on, too high for this test.
#include "whorl/io/pulseq.hpp"
#include "fuzz_target.hpp"
#include "io/pulseq/sequence.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto path = fuzz::write("a.seq", bytes, count);
  fuzz::expect_result_or_error([&](const Context& ctx) {
    const io::pulseq::Sequence sequence = io::pulseq::read_sequence(ctx, path);
    Index samples = 0;
    for (const auto& [id, shape] : sequence.shapes) samples += shape.samples;
    for (const auto& [id, adc] : sequence.adcs) samples += adc.samples * static_cast<Index>(sequence.blocks.size());
    constexpr Index most = 1000000;
    if (samples < most) read_pulseq(ctx, path);
  });
  return 0;
}
