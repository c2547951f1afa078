// A numerical head with the sodium concentrations, decays and proton intensities of its tissues.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "whorl/op/evolution_factors.hpp"
#include "whorl/phantom/phantom.hpp"

namespace sodium {

struct HeadTissue {
  std::string name;
  double concentration = 0;  ///< of sodium per tissue volume, mmol/L
  whorl::TissueDecay decay;  ///< of the sodium signal
  double proton = 0;         ///< intensity in the proton image
  std::string taken_for;     ///< what who sees the proton image alone takes it for; empty: itself
};

/// The tissues, and the figures of each.
struct Head {
  std::vector<HeadTissue> tissues;
  /// The part of the place that each tissue takes: figures of +1 and -1 whose sum is 1 in it and 0 elsewhere.
  std::vector<whorl::Phantom> portions;

  std::size_t index(const std::string& tissue) const;
};

/// A head of 13 x 17 x 17 cm in a field of view of 24 cm with three vials beside it. Two lesions with raised sodium lie
/// in the white matter: one that the proton image shows and one that it does not; and one place that the proton image
/// alone shows. Figures drawn for this example, no person's anatomy.
Head make_head();

/// Field of view along each axis, in mm.
inline constexpr double field_of_view_mm = 240;

/// The same figures with one number for each tissue.
whorl::Phantom weighted_head(const Head& head, const std::vector<double>& values);

}  // namespace sodium
