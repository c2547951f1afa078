// From small GPUs to large: the question of the gridding paper's table 2, for its kernels and for whole reconstructions.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Time and energy of gridding and of reconstructions on parts of a device: some multiprocessors of a GPU, some threads of
/// a CPU.
///
/// Source  Gregerson, "Implementing fast MRI gridding on GPUs via CUDA", table 2
Study energy_study();

}  // namespace whorl::studies
