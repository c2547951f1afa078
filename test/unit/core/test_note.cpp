#include <gtest/gtest.h>

#include "whorl/core/note.hpp"

namespace whorl {
namespace {

// The words of a note do not matter: the last fact speaks of a limit.
TEST(Note, DoubtsComeFirstThenAnswersAndFactsStayInOrder) {
  const Notes notes{{"Trajectory unit cycles/pixel: the largest |k| is then 1 of Nyquist."},
                    {"Header and data disagree: the scan is 2D.", NoteKind::disagreement},
                    {"Coil maps: ESPIRiT from the central 24 x 24 cycles of k-space."},
                    {"Conjugate gradient: 30 iterations.", NoteKind::doubt},
                    {"Iterations: none reached the limit."},
                    {"Lambda 1.20e-03 by the L-curve.", NoteKind::answer},
                    {"Conjugate gradient: 30 iterations.", NoteKind::doubt}};
  const Notes expected{notes[1], notes[3], notes[5], notes[0], notes[2], notes[4]};
  EXPECT_EQ(by_weight(notes), expected);
  EXPECT_TRUE(notes[1].is_doubt());
  EXPECT_FALSE(notes[5].is_doubt());
}

}  // namespace
}  // namespace whorl
