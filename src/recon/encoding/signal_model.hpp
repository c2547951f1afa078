// The evolution of the signal of a frame, from the maps of the options.
#pragma once

#include "recon/run.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/op/evolution_factors.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Throws ValueError where maps or sample weights are asked of what has no use for them, or the times of the samples are
/// not known.
void check_signal(const Scan& scan, const ReconOptions& options);

/// Times of the samples of a trajectory [sample], in seconds. Throws ValueError as readout_timing and sample_times.
Array<double> signal_times(const Context& ctx, const Scan& scan, const Trajectory& trajectory,
                           const SignalOptions& options);

/// The evolution at the place of a frame; of no component where there are no maps. Throws ValueError (a map that does not
/// reach the image, a negative R2*).
ExponentialSignal signal_at(const Context& ctx, const Scan& scan, const Geometry& place, const SignalOptions& options);

/// The square roots of the weights of a frame's samples, on the context's device.
Array<float> weight_roots(const Context& ctx, const ScanFrame& frame, const SignalOptions& options);

/// The factors of a frame's evolution times the square roots of its samples' weights, on the context's device. Says, for
/// the first frame, which maps and times they are of, and how many.
EvolutionFactors<float> signal_factors(Run& run, const Scan& scan, const ScanFrame& frame, const SignalOptions& options,
                                       bool first);

/// Whether the normal operator of so many factors is by spectra: where that is predicted to be faster.
bool takes_spectra(const Context& ctx, const Scan& scan, const Trajectory& trajectory, Index coils, Index factors,
                   const ReconOptions& options);

struct SignalMemory {
  StageMemory stage;  ///< the maps, and the factors and spectra of the frame that needs most
  Index normal = 0;   ///< scratch bytes of a normal operator by spectra; 0: none is
};

SignalMemory signal_memory(const Context& ctx, const Scan& scan, Index coils, const ReconOptions& options);

}  // namespace whorl::recon
