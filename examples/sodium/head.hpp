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
  std::string taken_for;     ///< the tissue that it looks like in the proton image; empty: itself
};

/// The tissues and their figures.
struct Head {
  std::vector<HeadTissue> tissues;
  /// The region of each tissue: figures of +1 and -1 with the sum 1 inside and 0 elsewhere.
  std::vector<whorl::Phantom> portions;

  std::size_t index(const std::string& tissue) const;
};

/// A head of 13 x 17 x 17 cm in a field of view of 24 cm, with three vials beside it. Two lesions with raised sodium
/// lie in the white matter; the proton image shows one of them. A third spot is visible in the proton image only. The
/// figures were drawn for this example; they are not the anatomy of a person.
Head make_head();

/// Field of view along each axis, in mm.
inline constexpr double field_of_view_mm = 240;

/// The head's figures with one value per tissue.
whorl::Phantom weighted_head(const Head& head, const std::vector<double>& values);

}  // namespace sodium
