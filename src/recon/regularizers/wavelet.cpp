// The magnitudes of wavelet coefficients: few of them (WaveletL1).
#include <cmath>

#include "recon/regularizers/term.hpp"
#include "whorl/prox/wavelet_l1.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_wavelet(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const WaveletL1<Real>>(
              series, WaveletL1Options{.wavelet = {.taps = what.taps, .levels = what.levels},
                                       .joint = what.joint,
                                       .shifts = what.shift,
                                       .approximation = what.approximation}),
          what.weight * unit};
}

double wavelet_threshold(const Regularizer& what, const Shape& series) {
  constexpr double of_wavelets = 0.6;
  return of_wavelets * (what.joint ? std::sqrt(static_cast<double>(series[0])) : 1);
}

// Coefficients, and what the transform has between its axes.
TermArrays wavelet_arrays(const Regularizer& what, Index /*image_axes*/) {
  return {.working = 3, .versions = what.shift};
}

}  // namespace

extern const RegularizerTerm wavelet_term{
    .kind = RegularizerKind::wavelet,
    .word = "wavelet",
    .options = {{{"weight"}, {"unit"}, {"taps"}, {"levels"}, {"approximation"}, {"joint"}, {"shift"}}},
    .spans_frames = [](const Regularizer& what) { return what.joint; },
    .threshold = wavelet_threshold,
    .arrays = wavelet_arrays,
    .make = make_wavelet<float>,
    .make_double = make_wavelet<double>};

}  // namespace whorl::recon
