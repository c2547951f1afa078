// The simulated scan: each volume along one trajectory, with exact k-space at its pose.
#pragma once

#include <complex>
#include <vector>

#include "studies/fmri/course.hpp"
#include "whorl/core/array.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::studies::fmri {

inline constexpr double voxel_mm = 3;
inline constexpr double echo_time_s =
    0.03;  ///< from the excitation to the start of each readout, at the center of k-space
inline constexpr double readout_s = 0.02;

/// Everything lies on the host.
struct Protocol {
  Index size = 0;
  Trajectory trajectory;        ///< a stack of spirals, fully sampled
  std::vector<double> times_s;  ///< of each sample from the excitation
  PhantomCoils coils;
  Array<std::complex<float>> maps;  ///< [coil, z, y, x]
  Array<float> active;              ///< part of each voxel that is active tissue [z, y, x]
  double amplitude = 0;             ///< of the activation, as of images
};

/// Throws ValueError (a size that is not a multiple of 16, an odd number of coils)
Protocol make_protocol(const Context& ctx, const Options& options);

/// The samples [coil, sample] of each volume.
std::vector<Array<std::complex<float>>> measure(const Context& ctx, const Protocol& protocol, const Course& course,
                                                double noise);

}  // namespace whorl::studies::fmri
