// Prediction for images of a trajectory: noise, resolution, time and memory before the scan.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

struct OutlookOptions {
  double noise = 0;   ///< standard deviation sqrt(E|n|^2) of a sample of each coil; 0: that of the covariance
  double signal = 1;  ///< of the object, in the unit of the noise
  Index coils = 8;    ///< of the ring (make_phantom_coils), where there are no maps; 0: one that sees all alike
  double lambda = 1e-4;
  int replicas = 30;  ///< simulated noise images: their number makes an error of 1 / (2 sqrt(replicas))
  std::uint64_t seed = 1;
  double repetition_ms = 0;  ///< from one readout to the next; 0: that of the scan, else readout and dead time
  double dead_ms = 0;        ///< of each repetition, without samples
  double scan_seconds = 0;   ///< time for averages of the same scan; 0: it is taken once
  /// Covariance E[n n^H] of the coils' noise [coil, coil]; none: coils have independent noise of one variance.
  std::shared_ptr<const Array<std::complex<double>>> covariance{};
  /// Coil maps [coil, z, y, x]; none: those of the scan, and where it has none, of the ring.
  std::shared_ptr<const Array<std::complex<float>>> maps{};
};

template <>
WHORL_PUBLIC const OptionTable<OutlookOptions>& option_table<OutlookOptions>();

/// Images by one method.
struct ImageOutlook {
  /// [z, y, x], sqrt(E|x - E x|^2) in the unit of the signal: of the image over the root-sum-of-squares of the maps.
  Array<float> standard_deviation;
  Array<float> snr;            ///< [z, y, x], |E x| over sqrt(E|x - E x|^2) for a uniform object
  std::vector<double> widths;  ///< of the point spread at half maximum, along z (in 3D), y, x, in voxels
  double side_lobe = 0;        ///< largest beyond main_lobe_radius (density/impulse_response.hpp), over the peak
};

struct ScanOutlook {
  ImageOutlook least_squares;
  ImageOutlook gridding;                    ///< its point spread has one width, the mean of the axes
  Array<float> g_factor;                    ///< [z, y, x] (recon/g_factor.hpp)
  Array<std::complex<float>> point_spread;  ///< [z, y, x], of least squares in the middle
  std::vector<Index> object;                ///< voxels of the object, by their place in a map
  Index coils = 0;

  Index readouts = 0;                       ///< 0: not known
  double readout_ms = 0;                    ///< 0: not known
  double pass_seconds = 0;                  ///< of all readouts once; 0: not known
  bool back_to_back = false;                ///< that is of the readouts alone, since nothing says how often they repeat
  double averages = 1;                      ///< OutlookOptions::scan_seconds over that; it need not be whole
  std::array<double, 3> voxel_mm{0, 0, 0};  ///< x, y, z; 0: not known

  Index bytes = 0;           ///< at the peak of a reconstruction by least squares, with given maps
  bool convolution = false;  ///< A^H A is one, else a pair of transforms
  int iterations = 0;        ///< of conjugate gradient to a relative residual of 1e-6
  double seconds = 0;        ///< that the reconstruction of this frame took, measured on this device
};

/// Outlook of the first frame of a scan, whose data are not used. The object is 1 in the ellipse or ellipsoid inscribed in the
/// field of view, where a coil map is not 0. Each number is what reconstruct gives for its noise-free data: the error bars
/// of least squares at lambda, and of gridding with matched combination.
///
/// Shapes  options.maps and scan.coil_maps [coil, z, y, x], or none
/// Throws  ValueError (no trajectory, no noise or two; as average_to), ShapeError (a covariance of other coils), and as
///         reconstruct
ScanOutlook scan_outlook(const Context& ctx, const Scan& scan, const OutlookOptions& options);

/// The outlook of a scan that takes this time: the mean of `averages` passes, which need not be whole.
/// Throws  ValueError (an unknown time of a pass, or one that is longer)
void average_to(ScanOutlook& outlook, double scan_seconds);

}  // namespace whorl
