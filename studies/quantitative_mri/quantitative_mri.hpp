// The final evaluation of the book chapter on iterative reconstruction, run again.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Gridding against least squares with exact sums and with the NUFFT: image quality and times.
///
/// Source  Kirk and Hwu, "Programming massively parallel processors", chapter 7 of the 2008 edition, figures 7.18 to
///         7.20; Stone, Haldar, Tsao, Hwu, Sutton, Liang, "Accelerating advanced MRI reconstructions on GPUs", J
///         Parallel Distrib Comput 68:1307 (2008)
Study quantitative_mri_study();

}  // namespace whorl::studies
