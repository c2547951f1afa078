// Frames of `whorl recon` from the readouts of a scan, and movies of them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/options/table_options.hpp"
#include "whorl/io/movie.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/scan/sample_weights.hpp"

namespace whorl::cli {

/// How frames are made, and where their gating signal goes.
struct FrameRequest {
  FrameOptions frames;
  std::string signal;   ///< a file; empty: none
  std::string weights;  ///< file of a weight for each readout or sample; empty: none
};

struct MovieRequest {
  std::string path;  ///< empty: none
  double frames_per_second = 10;
  std::vector<double> window;  ///< black and white; empty: of the images
};

void add_frame_options(App& app, FrameRequest& request);
void add_movie_options(App& app, MovieRequest& request);

/// The gating signal [slice, readout, column]: time in seconds, value, phase in radians, frame. Frame -1: a slice with
/// fewer readouts than another.
Array<double> signal_columns(const Context& ctx, const GatedScan& gated);

/// The weights of the samples of a scan, after its frames were made: those of a file, or by its own motion; none where
/// neither is asked for. Throws as read_array, gating_signal and weigh_samples.
std::shared_ptr<const SampleWeights> sample_weights(const Context& ctx, const FrameRequest& request, Scan& scan);

/// Throws what writing would, before the work.
void check_movie(const MovieRequest& request, const Shape& images);
void write_movie(const Context& ctx, const MovieRequest& request, ArrayRef<const std::complex<float>> images,
                 std::vector<std::filesystem::path>& written);

Parameters describe(const FrameRequest& request);

}  // namespace whorl::cli
