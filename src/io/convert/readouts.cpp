#include "io/convert/readouts.hpp"

#include "io/convert/array_axes.hpp"

namespace whorl::io {

ArrayReadouts readouts_of(const LabeledArray& array) {
  return {array.extent("readout"), array.extent("shot"), array.extent("partition")};
}

std::vector<FrameIndex> frames_of(const LabeledArray& array) {
  std::vector<FrameIndex> frames;
  std::array<int, frame_axes.size()> many{};
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(array.extent(frame_axes[i]));
  for (int slice = 0; slice < many[0]; ++slice) {
    for (int contrast = 0; contrast < many[1]; ++contrast) {
      for (int phase = 0; phase < many[2]; ++phase) {
        for (int repetition = 0; repetition < many[3]; ++repetition) {
          for (int set = 0; set < many[4]; ++set) frames.push_back({slice, contrast, phase, repetition, set});
        }
      }
    }
  }
  return frames;
}

Index frame_offset(const LabeledArray& array, const FrameIndex& index) {
  const std::array<int, frame_axes.size()> counters{index.slice, index.contrast, index.phase, index.repetition,
                                                    index.set};
  Index offset = 0;
  for (std::size_t i = 0; i < frame_axes.size(); ++i) offset += counters[i] * array.stride(frame_axes[i]);
  return offset;
}

Array<std::complex<float>> read_samples(const Context& ctx, const LabeledArray& data, const FrameIndex& index,
                                        const ArrayReadouts& readouts) {
  Array<std::complex<float>> made(ctx, {data.extent("coil"), readouts.samples()});
  for (Index coil = 0; coil < data.extent("coil"); ++coil) {
    std::complex<float>* to = made.data() + coil * readouts.samples();
    for_samples(data, frame_offset(data, index) + coil * data.stride("coil"), readouts,
                [&](Index sample, std::complex<double> value) { to[sample] = std::complex<float>(value); });
  }
  return made;
}

}  // namespace whorl::io
