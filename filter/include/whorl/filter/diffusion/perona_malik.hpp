// Perona-Malik: diffusion that stops at edges.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class Conduction {
  exponential,  ///< c(s) = exp(-(s/K)^2): prefers edges of high contrast
  rational,     ///< c(s) = 1 / (1 + (s/K)^2): prefers wide regions
};

struct PeronaMalikOptions : BorderOptions {
  Index steps = 10;
  std::optional<double> edge;  ///< K, in the image's numbers; none: 5 % of the type's full scale
  std::optional<double> step;  ///< none: 1/5 in two dimensions, 1/7 in three
  Conduction conduction = Conduction::exponential;
  bool volumes = false;  ///< diffusion across slices too; otherwise slice by slice
};

/// u += dt * sum over the 4 neighbors (6 with `volumes`) v of c(|v - u|) (v - u), `steps` times. All channels of a
/// pixel have one c, that of the Euclidean length of their difference: an edge in one channel stops diffusion in all,
/// and the phase of complex images does not matter. Borders as in `heat`.
///
/// Integers  are diffused as float32 and rounded at the end.
/// Throws    ValueError for a negative number of steps, K <= 0, and steps dt that are not stable: above 1/4, or 1/6
///           with volumes.
/// Source    Perona and Malik, IEEE PAMI 12:629 (1990), eq. 7-10; channels: Gerig et al., IEEE TMI 11:221 (1992)
std::unique_ptr<Filter> make_perona_malik(const PeronaMalikOptions& options);

}  // namespace whorl
