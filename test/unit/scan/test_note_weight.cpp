#include <gtest/gtest.h>

#include "whorl/scan/note_weight.hpp"

namespace whorl {
namespace {

// Notes as readers, methods and error bars make them.
TEST(NoteWeight, DoubtsComeFirstThenAnswersAndTheOthersStayInOrder) {
  const std::vector<std::string> notes{
      "Trajectory unit cycles/pixel: the largest |k| is then 1 of Nyquist.",
      "Header and data disagree: the encoded matrix has 8 pixels along z, but all readouts are of one partition.",
      "Coil maps: ESPIRiT from the central 24 x 24 of k-space, 48 % of the voxels in the object.",
      "Bias: 1.20 % of the image (l2), with the image in the place of the object, which is not known.",
      "Conjugate gradient: 30 iterations, relative residual 3.11e-04; reached the limit of iterations.",
      "Conjugate gradient: 12 iterations, relative residual 9.11e-05; reached the tolerance.",
      "Lambda 1.20e-03 by the L-curve: the corner over 1.0e-05 to 1.0e-01.",
      "Conjugate gradient: 12 iterations, relative residual 9.11e-05; reached the tolerance.",
      "Motion: 4 poses undone, 24 readouts each, up to 0.0027 mm and 0.0079 degrees."};
  const std::vector<std::string> expected{notes[1], notes[4], notes[6], notes[8],
                                          notes[0], notes[2], notes[3], notes[5]};
  EXPECT_EQ(by_weight(notes), expected);
}

}  // namespace
}  // namespace whorl
