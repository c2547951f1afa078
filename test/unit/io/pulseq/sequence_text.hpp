// Small sequences in text.
#pragma once

#include <string>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl::test {

inline std::string sequence_of(const std::string& version, const std::string& rest) {
  return "# Pulseq sequence file\n[VERSION]\nmajor 1\nminor " + version +
         "\n[DEFINITIONS]\nGradientRasterTime 1e-05\nRadiofrequencyRasterTime 1e-06\nAdcRasterTime 1e-07\n"
         "BlockDurationRaster 1e-05\nFOV 0.2 0.2 0.005\n" +
         rest;
}

/// Magnitude and times of block pulses of 100 us.
inline const std::string pulse_shapes = "shape_id 1\nnum_samples 2\n1\n1\n\nshape_id 2\nnum_samples 2\n0\n100\n\n";

inline PulseqReadouts read_sequence(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder / "a.seq", text);
  return read_pulseq_readouts(Context(), folder / "a.seq");
}

}  // namespace whorl::test
