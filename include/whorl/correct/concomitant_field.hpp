// The concomitant field of the gradients: Maxwell's equations let no gradient be without a transverse field.
#pragma once

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// The phase of the concomitant field of lowest order,
///
///   B_c = ((G_x z - G_z x/2)^2 + (G_y z - G_z y/2)^2) / (2 B_0),
///
/// with x, y, z from the center of the magnet and the main field along z (the patient's head or feet). Gradients of
/// spirals lie in the plane of the image; their squares along both of its axes have the same mean, and their product has
/// the mean 0. For these it is approximately the frequency of a place times a time that all places share (King): the signal turns
/// by
///
///   turns_j + hertz(r) times_j,
///
/// where turns_j has all terms at the center of the image, and hertz(r), relative to there, leaves out how the squares
/// differ and the product.
struct ConcomitantField {
  Array<double> hertz;  ///< [(z,) y, x]
  Array<double> times;  ///< [sample], s: integral of G^2 over its largest value, from the first sample of each readout
  Array<double> turns;  ///< [sample]
  double left_out = 0;  ///< bound of the turns that are left out, for any voxel and sample
};

/// Field of readouts that begin with their first sample: earlier gradients have left their phase to the image. The gradients
/// follow from the samples' places.
///
/// Shapes  a frame of the scan with its geometry
/// Units   larmor_mhz: gamma B_0 / (2 pi)
/// Throws  ValueError (readouts of unknown length, an unknown field of view, a dwell time or frequency that is not above
///         0, volumes with more than 1 % of the gradients' squares along z, more than a tenth of a turn left out: spokes,
///         say)
/// Source  Bernstein et al., "Concomitant gradient terms in phase contrast MR: analysis and correction", Magn Reson Med
///         39:300 (1998), equation 2; King, Ganin, Zhou, Bernstein, "Concomitant gradient field effects in spiral scans",
///         Magn Reson Med 41:103 (1999)
ConcomitantField concomitant_field(const Context& ctx, const Scan& scan, const ScanFrame& frame, double dwell_us,
                                   double larmor_mhz);

/// All terms of that phase, for any readouts in a plane: what ConcomitantField is measured by.
///
/// Throws  as concomitant_field, but for what is left out
class ConcomitantTurns {
 public:
  ConcomitantTurns(const Context& ctx, const Scan& scan, const ScanFrame& frame, double dwell_us, double larmor_mhz);

  /// Turns of a voxel's signal at a sample; the voxel is given by its number in [(z,) y, x].
  double operator()(Index sample, Index voxel) const {
    const double* g = integrals_.data() + 3 * sample;
    const double* f = forms_.data() + 3 * voxel;
    return g[0] * f[0] + g[1] * f[1] + g[2] * f[2];
  }

 private:
  Array<double> integrals_;  // [sample, 3]: of g_x^2, g_y^2 and 2 g_x g_y
  Array<double> forms_;      // [voxel, 3]: what they turn the signal by
};

}  // namespace whorl
