// Limits of a scanner's gradients, and the speed in k-space that follows from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// gamma / (2 pi) of a nucleus in MHz/T, or a number of MHz/T as text.
///
/// Known: 1H 2H 3He 7Li 13C 17O 19F 23Na 31P 129Xe. Values are positive, because the sign only reverses k. They have
/// four digits: the resonance frequency in the reference compound of the nucleus over that of 1H, times 42.577 MHz/T
/// (xenon: as a gas).
/// Throws  ValueError, listing the known nuclei, for another name or a number that is not above 0
/// Source  Harris, Becker, Cabral de Menezes, Goodfellow, Granger, "NMR nomenclature. Nuclear spin properties and
///         conventions for chemical shifts", Pure Appl Chem 73:1795 (2001)
double gyromagnetic_ratio(std::string_view nucleus);

/// The nuclei that gyromagnetic_ratio knows.
std::vector<std::string> nucleus_names();

/// Limits of the gradient vector in every direction: |g| <= amplitude and |dg/dt| <= slew.
struct GradientLimits {
  double amplitude_mt_per_m = 40;
  double slew_t_per_m_s = 150;
  double gamma_mhz_per_t = 42.577;
  double pixel_mm = 1;  ///< field of view over matrix size, the same along all axes

  /// Largest |dk/dt|, in cycles per pixel and microsecond: gamma pixel amplitude.
  double speed() const;
  /// Largest |d2k/dt2|, in cycles per pixel and microsecond squared: gamma pixel slew.
  double acceleration() const;
  /// mT/m of a |dk/dt| of one cycle per pixel and microsecond.
  double amplitude_per_speed() const;
};

/// Throws ValueError, naming the operation, unless all limits are finite and above 0.
void check_gradient_limits(std::string_view operation, const GradientLimits& limits);

}  // namespace whorl
