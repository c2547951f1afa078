// The paper on gridding on the first GPUs with CUDA, run again.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Gridding of samples on a plane by every step of the paper's ladder, and what comes out as an image.
///
/// Source  Gregerson, "Implementing fast MRI gridding on GPUs via CUDA", tables 1 and 2
Study gridding_2d_study();

}  // namespace whorl::studies
