// The simulated scan, and the truth for all its reconstructions.
#pragma once

#include <complex>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::studies::quantitative_mri {

/// The largest |k| of the samples in cycles per voxel: 56 samples of a spoke a step of 1/128 apart.
inline constexpr double usual_reach = 7.0 / 32;

struct Options {
  Index size = 0;       ///< voxels along an axis; 0: 128 on a GPU, 48 on a CPU
  double noise = 0.05;  ///< standard deviation sqrt(E|n|^2) of the noise of a sample; white matter is 1
  double blur = 4;      ///< FWHM in voxels
  double reach = usual_reach;
  bool center = false;
  Index iterations = 60;
  bool full = false;
};

/// Everything lies on the host.
struct SimulatedScan {
  Index size = 0;
  Trajectory trajectory;
  Array<double> weights;                          ///< density compensation [sample]
  std::vector<Array<std::complex<double>>> data;  ///< [sample]: without noise, with noise
  Array<std::complex<double>> truth;              ///< [z, y, x]
  Array<float> reference;                         ///< [z, y, x]
};

/// A kooshball, spokes through the center in all directions, sampled half a step beside the center (or, with `center`,
/// there too): no two samples are then the same number. Sums of thousands of equal numbers in single precision round off to one side, which a measurement's
/// never do. At 128^3 voxels it has 5082 spokes of 56 samples, 284,592 in all, which is full sampling of a matrix of
/// 56: k-space up to |k| = 7/32 cycles per voxel. Other sizes have the same samples per voxel and the same largest |k|:
/// the number of spokes goes with the square of the size, that of the samples of a spoke with the size; unless a number
/// of samples is given: then it has the spokes that come nearest to it. Another reach scales it: the same samples are
/// denser or sparser.
Trajectory kooshball(const Context& ctx, Index size, Index samples = 0, double reach = usual_reach,
                     bool center = false);

/// The scan along a kooshball. Throws ValueError (options out of range)
SimulatedScan simulate(const Context& ctx, const Options& options);

}  // namespace whorl::studies::quantitative_mri
