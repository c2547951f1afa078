// What may be asked of a reconstruction beside its images: their noise, their bias, their resolution.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "whorl/recon/standard_deviation.hpp"

namespace whorl {

struct ErrorBarOptions {
  bool standard_deviation = false;
  bool g_factor = false;
  bool bias = false;
  std::vector<std::array<Index, 3>> points{};  ///< x, y, z of voxels, whose point-spread functions are wanted
  /// How the standard deviation is found. Bias and point-spread functions are solved for with its iterations and
  /// tolerance.
  StandardDeviationOptions noise{};

  bool any() const { return standard_deviation || g_factor || bias || !points.empty(); }
};

/// What was asked for, on the host; the others have no elements. It belongs to the least squares image that conjugate
/// gradient converges to: an image for which it stopped early has less noise and more bias.
struct ErrorBars {
  Array<float> standard_deviation;                 ///< [frame, z, y, x], sqrt(E|x - E x|^2) in the image's unit
  Array<float> g_factor;                           ///< [frame, z, y, x] (recon/g_factor.hpp)
  Array<std::complex<float>> bias;                 ///< [frame, z, y, x], with the image in the place of the object
  Array<std::complex<float>> point_spreads;        ///< [point, z, y, x], those of the first frame
  std::vector<std::vector<double>> spread_widths;  ///< [point], full widths at half maximum along z (in 3D), y, x
};

}  // namespace whorl
