// The impulse response of the gradients: the trajectory that is played, from the one that was asked for.
#pragma once

#include <complex>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// The response of the gradient system over the frequency (GIRF): gradients G(f) that are asked for become H(f) G(f), and
/// a field b(f).G(f) that is the same everywhere. Axes are those of the patient: x to the left, y to the back, z to the
/// head, as the directions of a Geometry.
///
/// Between frequencies the response is interpolated linearly, below the lowest positive one it is constant, and beyond
/// the last one it is 0. Gradients are real, so of frequencies with both signs the part with H(-f) = conj(H(f)) counts.
///
/// Shapes  gradient [frequency, 3 (played), 3 (asked for)]; field [frequency, 3 (asked for)], no elements: none
/// Units   frequencies in Hz, in rising order; gradient without unit, H(0) = 1 as a rule; field in T per T/m
struct GradientResponse {
  std::vector<double> frequencies_hz{};
  Array<std::complex<double>> gradient{};
  Array<std::complex<double>> field{};

  bool has_field() const { return field.size() > 0; }
};

/// Throws ShapeError or ValueError (shapes, no frequency, an order that does not rise, values that are not finite, no
/// frequency of 0 or more).
void check_gradient_response(const GradientResponse& response);

/// Gradient before the first sample of a readout that does not begin at the center of k-space, and after its last:
/// the gradient is flat for a while and has a linear ramp. Readouts from the center begin at rest.
struct GradientLead {
  double flat_us = 100;
  double ramp_us = 200;
};

template <>
WHORL_PUBLIC const OptionTable<GradientLead>& option_table<GradientLead>();

/// Place and time at which readouts are played.
struct ReadoutPlay {
  double dwell_us = 0;
  std::array<double, 3> pixel_mm{1, 1, 1};
  /// Unit vectors along x, y and z of the image, as of a Geometry.
  std::array<std::array<double, 3>, 3> directions{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
};

struct PlayedTrajectory {
  Trajectory trajectory;
  Array<double> turns;       ///< [sample]: by which the field turns the signal, exp(-2 pi i turns); no elements: none
  double largest_shift = 0;  ///< of a sample, cycles per pixel along an axis
  double energy_beyond = 0;  ///< part of the gradients' energy at frequencies beyond the response
};

/// The trajectory that the gradients play. Steps between samples are the mean gradient of a dwell time; they are
/// multiplied by the response at their frequencies and summed again. Readouts are extended by their lead, and padded
/// with zeros for as long as the response may ring: 1 / (spacing of its frequencies), at most 2^20 samples. A response
/// exp(-2 pi i f t) delays the readouts by t. Positions beyond |k| = 1/2 become 1/2.
///
/// In 2D the gradient that leaves the plane is dropped.
///
/// Throws  as check_gradient_response; ValueError (readouts of unknown or unequal length or of one sample; a dwell time
///         or pixel that is not above 0; directions that are not orthonormal; more than 1 % of the gradients' energy beyond
///         the response), Cancelled
/// Source  Vannesjo et al., "Gradient system characterization by impulse response measurements with a dynamic field
///         camera", Magn Reson Med 69:583 (2013); Addy, Wu, Nishimura, "Simple method for MR gradient system
///         characterization and k-space trajectory estimation", Magn Reson Med 68:120 (2012)
PlayedTrajectory played(const Context& ctx, const Trajectory& nominal, const GradientResponse& response,
                        const ReadoutPlay& play, const GradientLead& lead = {});

}  // namespace whorl
