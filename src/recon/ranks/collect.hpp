// The results of all ranks, brought to the first, and in the order of the scan.
#pragma once

#include <complex>
#include <vector>

#include "recon/frame_groups.hpp"
#include "recon/run.hpp"
#include "whorl/comm/communicator.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::recon {

/// What a team found of its frames: [first, first + reports or images).
struct TeamResult {
  Index first = 0;
  Array<std::complex<float>> images;  ///< [frame, z, y, x] of the team's frames, on the host
  std::vector<SolverReport> reports;
  std::vector<SliceLambda> lambdas;
  std::vector<Certificate> certificates;
  SavedNormals normals;
  ErrorBars error_bars;  ///< the rows of these frames; no point spreads
};

/// Collective. On rank 0 what the others give, in the order of their ranks; elsewhere nothing. `own`: null for a rank that
/// has nothing to give.
std::vector<TeamResult> collect(Run& run, Communicator& ranks, const TeamResult* own);

/// Puts the others' images into those of all frames, on the context's device, and their findings into the result.
void merge(const Context& ctx, std::vector<TeamResult>& others, Array<std::complex<float>>& images,
           Reconstruction& result);

/// The rows of some frames, of error bars that have one for each frame.
void keep_rows(const Context& host, FrameRange frames, ErrorBars& bars);
/// Puts such rows of the others into those of all frames.
void merge_error_bars(const std::vector<TeamResult>& others, ErrorBars& bars);

/// Brings the images, error bars, places and reports of sorted frames into the order of the scan that was given.
void restore_order(const Context& host, const std::vector<std::size_t>& order, Reconstruction& result);

}  // namespace whorl::recon
