// Pulseq sequences (.seq): where in k-space they sample, and when.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/note.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/trajectory/gradients.hpp"

namespace WHORL_PUBLIC whorl {

/// The samples of one ADC event.
struct PulseqReadout {
  Index first = 0;    ///< index of its first sample
  Index samples = 0;  ///< 1 or more
  double dwell_us = 0;
  FrameIndex frame;  ///< labels SLC, ECO, PHS, REP, SET; the slice by the pulse where no label SLC is
};

/// Positions in k-space that a sequence samples.
///
/// Shapes  positions_per_m [sample, 3] along the gradient axes x, y, z; seconds, seconds_after_excitation [sample]
/// Units   1/m (the time integral of the gradient in Hz/m); seconds from the start of the sequence, and from the center
///         of the last excitation
struct PulseqReadouts {
  Array<double> positions_per_m;
  Array<double> seconds;
  Array<double> seconds_after_excitation;
  std::vector<PulseqReadout> readouts;
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< definition FOV; 0: not stated
  bool slices_by_pulses = false;                    ///< no label counts slices: they are numbered as they come
  Notes notes;                                      ///< sentences: how the file was interpreted
};

/// The image that a sequence is for. 0: what the file says.
struct PulseqImage {
  std::array<Index, 3> matrix{0, 0, 0};             ///< 0: the smallest even matrix that holds all samples
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< 0: the definition FOV
};

/// Reads the samples of a sequence in text, of version 1.2 to 1.5.
///
/// Gradients   trapezoids, extended trapezoids and arbitrary shapes are linear between their points, also where a shape
///             is on the gradient raster (its points are at the centers of raster cells). The values at the ends of a
///             shape are those of the file (1.5), or else the value that the gradient before it ended with, and the
///             linear extrapolation of the shape.
/// Pulses      an excitation sets k to 0 at its center, a refocusing pulse reverses k. Their use is that of the file
///             (1.5; undefined counts as excitation). Older files do not say it: pulses of up to 90 degrees excite,
///             others refocus. The center is that of the file (1.5), or else the middle of the largest amplitude.
/// Extensions  rotations turn the gradients of their block; labels count frames, and mark readouts that are left out:
///             noise (NOISE), navigators (NAV) and references alone (REF without IMA). Soft delays keep the duration
///             that the file has. Triggers and RF shims change no position.
/// Slices      the label SLC. In a sequence without it, pulses of other frequencies beside a gradient select other
///             slices, which are counted in the order of their first readouts.
/// Left out    readouts before the first pulse
/// Accuracy    rounding of double
/// Throws      IoError (a damaged file; events that the file does not have, or that are longer than their block;
///             unknown extensions that the file requires), Unsupported (another version, a binary file), Cancelled
/// Source      Zaitsev, Kroboth, Layton, "Pulseq: Open file format for MR sequences", version 1.5.1, 2025
PulseqReadouts read_pulseq_readouts(const Context& ctx, const std::filesystem::path& path);

/// The trajectory of a sequence as a scan without data: frames by the labels SLC, ECO, PHS, REP and SET, samples of a
/// frame in the order of acquisition.
///
/// The image is 2D if no sample leaves half a cycle over the field of view along z; kz is then left out.
/// `counted`: frames of its readouts, in the order of acquisition, in place of the labels; empty: by the labels.
/// Throws  as read_pulseq_readouts; ValueError (a field of view that neither says, a matrix that does not hold the
///         samples); ShapeError (other than one frame for each readout)
Scan read_pulseq(const Context& ctx, const std::filesystem::path& path, const PulseqImage& image = {},
                 const std::vector<FrameIndex>& counted = {});

/// Like read_pulseq, for a sequence that was read already; `source` names its file.
Scan scan_of_readouts(const Context& ctx, const PulseqReadouts& found, const std::string& source,
                      const PulseqImage& image = {}, const std::vector<FrameIndex>& counted = {});

/// Events that are played with each readout of a written sequence.
struct PulseqShot {
  double flip_angle_degrees = 10;
  double pulse_us = 200;                            ///< of the block pulse, which selects no slice
  double repetition_time_ms = 0;                    ///< from shot to shot; 0: the least
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< definition FOV; 0: none
};

/// Writes the readouts of a designed trajectory as a sequence of version 1.5: for each shot a block pulse, then the
/// gradients and the samples. The pulse has pauses of 100 us before and 30 us after it, the samples 10 us.
///
/// The values of the waveforms are the gradients at the centers of raster cells, linear between them, so the sequence
/// plays the positions of the trajectory to the nine digits that are written.
/// Throws  ValueError (a trajectory without the waveforms of its readouts, a dwell time that is no even number of
///         microseconds, a repetition time that is too short), IoError, Cancelled
void write_pulseq(const Context& ctx, const DesignedTrajectory& designed, const PulseqShot& shot,
                  const std::filesystem::path& path);

}  // namespace whorl
