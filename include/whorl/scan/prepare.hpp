// Preparation of a scan's data before reconstruction: prewhitening, coil compression.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/note.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Memory for new data on the host, [coil, sample]; none: that of the context.
using DataMemory = std::function<Array<std::complex<float>>(const Shape&)>;

/// If the squares of data or noise may leave the range of float, multiplies each of the two by a power of two; the noise
/// only if the data are to be `prewhitened` with it. Returns e: an image (or another linear result) of the scaled and, if
/// requested, prewhitened data, times 2^e, is the image of the given data. `of_all` makes the largest part of all ranks'
/// data from that of this scan's, if others have the rest of the frames.
int bring_near_one(const Context& ctx, Scan& scan, bool prewhitened, const std::function<double(double)>& of_all = {});

/// Brings the coil maps near 1 in the same way. Their scale does not matter: a reconstruction normalizes them.
void bring_maps_near_one(const Context& ctx, Scan& scan);

/// Multiplies the data of all frames by 2^exponent. Throws ValueError, which calls them `what`, if they leave float's range.
void restore_unit(const Context& ctx, int exponent, Scan& scan, std::string_view what);

/// Removes the noise scan and its dwell time.
void remove_noise_scan(Scan& scan);

/// Removes a noise scan that is not the noise of the data (doubt_about_noise, judged by the first frame), with a note.
/// The edge of k-space tells of the noise then. To be called before bring_near_one.
void leave_out_wrong_noise(const Context& ctx, Scan& scan, Notes& notes);

/// Prewhitens the data of all frames in place; frames may lack data, which other ranks have. The noise covariance is that of the noise scan or, without one, of the
/// edge of k-space in the first frame. The noise scan and the coil maps of the scan are multiplied by the same matrix,
/// so they still match the data. A note states the source of the noise. Where nothing tells of it
/// (NoiseCovariance::measured is false), the data stay as they are, and the note says why.
/// Throws  ValueError (a scan without data), and what noise_covariance and prewhitening_matrix throw
///         (whorl/calib/noise.hpp)
void prewhiten(const Context& ctx, Scan& scan, Notes& notes);

/// The noise covariance that prewhiten takes. Throws as prewhiten.
NoiseCovariance scan_noise(const Context& ctx, const Scan& scan);
/// Prewhitens with a given noise covariance. With `memory` for new data, data, noise and maps on the host are taken to the
/// context's device in parts, and have the same bits as at once; they stay where they are, or go there if they have more coils
/// than channels.
void prewhiten(const Context& ctx, Scan& scan, const NoiseCovariance& covariance, Notes& notes,
               const DataMemory& memory = {});

/// Replaces the coils of all frames, of the noise scan and of the coil maps by fewer virtual coils. A note states the
/// part of the signal energy that is kept. `memory` as in prewhiten.
/// Throws  ValueError (a scan without data), and what coil_compression throws
CoilCompression compress_coils(const Context& ctx, Scan& scan, const CoilCompressionOptions& options, Notes& notes,
                               const DataMemory& memory = {});
/// Replaces them by given virtual coils; frames may lack data, which other ranks have.
void compress_coils(const Context& ctx, Scan& scan, const CoilCompression& compression, Notes& notes,
                    const DataMemory& memory = {});

}  // namespace whorl
