// Wrong Pulseq sequences: one clear line that names the file, exit code 1, and nothing written.
#include "cli/files/wrong_files.hpp"

namespace whorl {
namespace {

using test::with_text;
using test::WrongFiles;

const std::string good_sequence =
    "# Pulseq sequence file\n[VERSION]\nmajor 1\nminor 5\nrevision 0\n[DEFINITIONS]\nAdcRasterTime 1e-07\n"
    "BlockDurationRaster 1e-05\nGradientRasterTime 1e-05\nRadiofrequencyRasterTime 1e-06\nFOV 0.2 0.2 0.005\n"
    "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 30 0 1 2 0 1 1\n[RF]\n1 2500 1 0 2 50 0 0 0 0 0 e\n[TRAP]\n1 1000000 0 300 0 0\n"
    "[GRADIENTS]\n2 1000000 0 1000000 3 0 0\n[ADC]\n1 3 100000 0 0 0 0 0 0\n[EXTENSIONS]\n1 1 1 0\n"
    "extension LABELSET 1\n1 2 SLC\n[SHAPES]\nshape_id 1\nnum_samples 2\n1\n1\n\nshape_id 2\nnum_samples 2\n0\n100\n\n"
    "shape_id 3\nnum_samples 30\n1\n0\n0\n27\n";

TEST_F(WrongFiles, Sequence) {
  const auto changed = [&](const std::string& old, const std::string& now, const std::string& reason) {
    refuse("a.seq", with_text(good_sequence, old, now), reason);
  };
  changed("minor 5", "minor 7", "version 1.7.0, known are 1.2 to 1.5");
  changed("minor 5", "minor x", "expected a number");
  refuse("a.seq", "# Pulseq sequence file\n[BLOCKS]\n1 0 0 0 0 0 0 0\n", "[VERSION] has to come before it");
  refuse("a.seq", std::string("\x01pulseq\x02\0\0\0\0\0\0\0\1", 16), "binary sequence");
  changed("[TRAP]", "[TRAPS]", "the section is not known");
  changed("2 30 0 1 2 0 1 1", "2 30 0 1 2 0 1", "expected 8 numbers");
  changed("2 30 0 1 2 0 1 1", "2 30 0 1 9 0 1 1", "no gradient of the number 9");
  changed("2 30 0 1 2 0 1 1", "2 30 0 1 2 0 4 1", "no ADC event of the number 4");
  changed("2 30 0 1 2 0 1 1", "2 20 0 1 2 0 1 1", "an event that ends after 0.0003 s");
  changed("1 1000000 0 300 0 0", "1 1000000 0 -300 0 0", "expected a time of 0 or more");
  changed("1 1000000 0 300 0 0", "1 1e999 0 300 0 0", "expected a number");
  changed("1 3 100000 0", "1 3 0 0", "dwell time above 0");
  changed("1 3 100000 0", "1 1e9 100000 0", "whole number from 0 to");
  changed("\n0\n0\n27\n", "\n0\n0\n28\n", "not those of 30 samples");
  changed("\n0\n0\n27\n", "\n0\n0\n1e18\n", "not those of 30 samples");
  changed("num_samples 30", "num_samples 1000000000000", "whole number from 0 to");
  changed("1 1 1 0\n", "1 1 1 1\n", "leads back to itself");
  changed("1 2 SLC", "1 -2 SLC", "the label SLC of a readout is -2");
  changed("FOV 0.2 0.2 0.005\n", "", "give the matrix and the field of view");
  changed("FOV 0.2 0.2 0.005\n", "FOV 1e-9 1e-9 1e-9\n", "check the field of view");
  changed("[DEFINITIONS]\n", "[DEFINITIONS]\nRequiredExtensions LABELSET WARP\n", "requires the extension WARP");
  changed("2 30 0 1 2 0 1 1", "2 30 0 1 2 0 0 1", "no samples of images");
}

}  // namespace
}  // namespace whorl
