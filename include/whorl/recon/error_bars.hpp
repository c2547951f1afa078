// Error bars of a reconstruction: the noise, bias and resolution of its images.
#pragma once

#include <complex>
#include <tuple>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The requested error bars, on the host; the others have no elements. They describe the least squares image to which
/// conjugate gradient converges. An image of fewer iterations has less noise and more bias.
struct ErrorBars {
  Array<float> standard_deviation;                 ///< [frame, z, y, x], sqrt(E|x - E x|^2) in the image's unit
  Array<float> g_factor;                           ///< [frame, z, y, x] (recon/g_factor.hpp)
  Array<std::complex<float>> bias;                 ///< [frame, z, y, x], with the image in place of the object
  Array<float> truth_bar;                          ///< [frame, z, y, x] (recon/truth_error.hpp)
  Array<float> truth_bound;                        ///< [frame, z, y, x]
  Array<std::complex<float>> point_spreads;        ///< [point, z, y, x], those of the first frame
  std::vector<std::vector<double>> spread_widths;  ///< [point], full widths at half maximum along z (in 3D), y, x
};

/// The members that have a value for each voxel of each frame.
inline constexpr auto voxel_error_bars = std::tuple(&ErrorBars::standard_deviation, &ErrorBars::g_factor,
                                                    &ErrorBars::bias, &ErrorBars::truth_bar, &ErrorBars::truth_bound);

/// Calls work(member) for each of them.
template <class Work>
void for_each_error_bar(const Work& work) {
  std::apply([&](auto... members) { (work(members), ...); }, voxel_error_bars);
}

}  // namespace whorl
