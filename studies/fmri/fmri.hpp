// Functional MRI in real time, the motive of the gridding paper.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Volumes of a head that is scanned for minutes are reconstructed as they come, corrected for drift of the field and motion, and
/// tested for a stated activation.
///
/// Source  Gregerson, "Implementing fast MRI gridding on GPUs via CUDA", section 1, for the motive
Study fmri_study();

}  // namespace whorl::studies
