// The width of the main lobe of a band-limited line.
#pragma once

#include <complex>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::recon {

/// Full width at half maximum, in samples, of the magnitude of the trigonometric polynomial through the samples: the
/// maximum is the largest value within one sample of `center`. Where the magnitude does not fall to half within half of
/// the line on a side, that half counts.
double main_lobe_width(const std::vector<std::complex<double>>& line, Index center);

}  // namespace whorl::recon
