// Frames and readouts of an array with named axes.
#pragma once

#include <vector>

#include "io/convert/labeled_array.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::io {

/// The readouts of a frame: those of the first partition, then those of the next.
struct ArrayReadouts {
  Index length = 1;
  Index shots = 1;
  Index partitions = 1;

  Index samples() const { return length * shots * partitions; }
};

ArrayReadouts readouts_of(const LabeledArray& array);

/// Every combination of the counters along the axes that count images.
std::vector<FrameIndex> frames_of(const LabeledArray& array);

/// The index of the first element of a frame.
Index frame_offset(const LabeledArray& array, const FrameIndex& index);

/// Calls `take(sample, value)` for all samples of a frame, readout by readout, from an element on.
template <class Take>
void for_samples(const LabeledArray& array, Index offset, const ArrayReadouts& readouts, Take take) {
  Index sample = 0;
  for (Index partition = 0; partition < readouts.partitions; ++partition) {
    for (Index shot = 0; shot < readouts.shots; ++shot) {
      const Index first = offset + partition * array.stride("partition") + shot * array.stride("shot");
      const Index stride = array.stride("readout");
      for (Index i = 0; i < readouts.length; ++i) {
        take(sample++, array.values()[static_cast<std::size_t>(first + i * stride)]);
      }
    }
  }
}

/// The data of a frame, [coil, sample].
Array<std::complex<float>> read_samples(const Context& ctx, const LabeledArray& data, const FrameIndex& index,
                                        const ArrayReadouts& readouts);

}  // namespace whorl::io
