// The evolution of a signal after its excitation (T2* decay, off-resonance), and its factors.
#pragma once

#include <span>

#include "whorl/op/signal_evolution.hpp"

namespace WHORL_PUBLIC whorl {

/// The evolution of a signal as a sum of exponentials, on the host:
///
///   e(r, t) = sum_p a_p(r) exp(-(R_p(r) + 2 pi i f_p(r)) t)
///
/// Shapes  each [component, (z,) y, x]
/// Units   R in 1/s, f in Hz
struct ExponentialSignal {
  Array<double> amplitudes;     ///< a
  Array<double> decay_rates;    ///< R
  Array<double> off_resonance;  ///< f
};

/// exp(-(R + 2 pi i f) t) from an R2* map and a field map. A missing map, ArrayRef(), means 0.
///
/// Shapes  [(z,) y, x], on the host
/// Throws  ShapeError (unequal shapes, no map at all)
ExponentialSignal exponential_signal(const Context& ctx, ArrayRef<const float> r2_star, ArrayRef<const float> field_hz);

/// a exp(-R_fast t) + (1 - a) exp(-R_slow t): a nucleus of spin 3/2 in tissue, such as sodium.
///
/// Shapes  all [(z,) y, x], on the host
/// Throws  ShapeError (unequal shapes)
ExponentialSignal biexponential_signal(const Context& ctx, ArrayRef<const float> fast_fraction,
                                       ArrayRef<const float> fast_rate, ArrayRef<const float> slow_rate);

/// The decay of one tissue: fast_fraction exp(-t / T2*_fast) + (1 - fast_fraction) exp(-t / T2*_slow).
struct TissueDecay {
  double fast_fraction = 0;
  double fast_ms = 0;  ///< T2* of the fast part; unused if its fraction is 0
  double slow_ms = 0;  ///< T2* of the slow part; unused if the fast fraction is 1
};

/// The decay at time t.
double decay_at(const TissueDecay& tissue, double seconds);

/// sum_k m_k(r) times the decay of tissue k, for voxels with several tissues.
///
/// Shapes  portions m [tissue, (z,) y, x], on the host
/// Throws  ShapeError (not one portion per tissue), ValueError (a fraction outside 0 to 1, a used T2* that is not above
///         0)
ExponentialSignal tissue_signal(const Context& ctx, ArrayRef<const float> portions,
                                std::span<const TissueDecay> tissues);

/// The fewest factors of an evolution whose sum has a relative error of at most the tolerance, on the context's device.
///
/// The distinct exponentials form a table E [class, time], each row weighted by the energy of its amplitudes. The
/// singular value decomposition of E is cut off at the fewest factors L with |E - E_L| / |E| (Frobenius) below the
/// tolerance; the result states this error. A field map has as many classes as voxels: more than 512 classes are merged
/// in the bins of a histogram, and the exponentials of each voxel are projected onto the factors.
///
/// Where e(r, t) is 0, for instance outside a mask, x does not affect the data.
///
/// Shapes  times [sample] on the host, after the excitation, such as those of sample_times
/// Units   seconds
/// Throws  ShapeError; ValueError (a tolerance below 1e-6 or not below 1, a value that is not finite, a negative decay
///         rate, amplitudes that are all 0, more than 50 turns between the slowest and the fastest phase)
/// Source  Fessler, Lee, Olafsson, Shi, Noll, "Toeplitz-based iterative image reconstruction for MRI with correction
///         for magnetic field inhomogeneity", IEEE Trans Signal Process 53:3393 (2005): the factors of a weighted
///         histogram by singular value decomposition
template <class Real>
WHORL_PUBLIC EvolutionFactors<Real> evolution_factors(const Context& ctx, const ExponentialSignal& signal,
                                                      ArrayRef<const double> times, double tolerance);

/// Number of these factors, from which a reconstruction's memory follows. Throws as evolution_factors.
Index evolution_rank(const ExponentialSignal& signal, ArrayRef<const double> times, double tolerance);

}  // namespace whorl
