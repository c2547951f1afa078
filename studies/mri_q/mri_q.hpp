// Parboil's MRI-Q and the five solutions of a student project, run again.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Q of Parboil's files or of simulated input, by one kernel after the other.
///
/// Source  C. Wang, "MRI-Q" (final project, GPU and parallel programming); Stratton et al., "Parboil", IMPACT-12-01,
///         University of Illinois, 2012; Stone, Haldar, Tsao, Hwu, Sutton, Liang, "Accelerating advanced MRI
///         reconstructions on GPUs", J Parallel Distrib Comput 68:1307 (2008)
Study mri_q_study();

}  // namespace whorl::studies
