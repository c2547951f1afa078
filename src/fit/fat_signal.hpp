// The signal of fat.
#pragma once

#include <complex>
#include <vector>

#include "whorl/fit/water_fat.hpp"

namespace whorl {

/// sum_p a_p exp(-2 pi i d_p t) of a spectrum at t seconds: that of F = 1 without decay.
std::complex<double> fat_signal(const std::vector<FatPeak>& peaks, double tesla, double t);

}  // namespace whorl
