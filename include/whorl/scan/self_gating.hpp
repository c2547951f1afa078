// Self-gating: the motion of the object from the center of k-space, which each spoke measures.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

enum class GatingBy {
  phase,      ///< where in its cycle a readout is: bins of equal parts of the cycle
  amplitude,  ///< how far the motion has gone: bins of equally many readouts
};

struct GatingOptions {
  int bins = 0;                        ///< frames of a cycle; 0: no gating
  GatingBy by = GatingBy::phase;       ///< how readouts are sorted
  double soft = 0;                     ///< no bins, but weights: the part of the readouts that counts fully; 0: none
  std::array<double, 2> band{0.5, 2};  ///< Hz: frequencies of the motion (heart 0.7 to 2, breathing 0.1 to 0.5)
};

template <>
WHORL_PUBLIC const OptionTable<GatingOptions>& option_table<GatingOptions>();

/// The signal of one frame's readouts.
struct GatingSignal {
  std::vector<double> values;  ///< [readout]: mean 0, mean square 1
  std::vector<double> phases;  ///< [readout]: of the analytic signal, in radians, -pi to pi
  double frequency_hz = 0;     ///< where the spectrum of the values is largest
  double part = 0;             ///< of the energy in the band, over all coils, that the signal has
};

/// The signal of the readouts of a frame: the samples nearest to k = 0 of each coil, without their line over time, are
/// limited to the band; then it is their principal component, with real and imaginary parts as channels of their own.
/// Its sign is that of the strongest channel, so it may be turned over.
///
/// Shapes   a frame with data [coil, sample], on the host
/// Accuracy the band ends at the nearest frequencies of an FFT over all readouts, which takes the signal as periodic: some
///          readouts at both ends are less exact
/// Throws   ValueError (an unknown readout interval or length, readouts that pass the center at more than one cycle per
///          field of view, a band without frequencies between 0 and half the readouts' rate, data without a signal there)
/// Source   Larson et al., "Self-gated cardiac cine MRI", Magn Reson Med 51:93 (2004); principal components: Pang et al.,
///          "Whole-heart coronary MRA with 100% respiratory gating efficiency", Magn Reson Med 71:67 (2014)
GatingSignal gating_signal(const Context& ctx, const Scan& scan, const ScanFrame& frame, const GatingOptions& options);

/// The bin of each readout, 0 to options.bins - 1.
std::vector<int> gating_bins(const GatingSignal& signal, const GatingOptions& options);

/// Soft gating: a weight for each readout, by where the motion is. The readouts of the shortest interval of the signal that
/// has `part` of them, where the object rests longest, have weight 1. Others fall off as exp(-(d / h)^2 / 2) with their
/// distance d from the interval, whose half is h.
///
/// Throws  ValueError (a part that is not between 0 and 1)
std::vector<double> gating_weights(const GatingSignal& signal, double part);

struct GatedScan {
  Scan scan;                           ///< a frame for each bin and slice; its phase is the bin
  std::vector<GatingSignal> signals;   ///< of each slice
  std::vector<std::vector<int>> bins;  ///< [slice, readout]
};

/// Sorts the readouts of a scan with one frame per slice into frames by its own signal. A note says its frequency.
///
/// Throws   as gating_signal and bin_frames (scan/regroup.hpp)
GatedScan gate(const Context& ctx, Scan scan, const GatingOptions& options);

}  // namespace whorl
