// Plan of a reconstruction, without doing it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

namespace recon {
struct MemoryNeeds;
}

struct ReconPlan {
  Index bytes = 0;  ///< of arrays on the context's device at the peak, the scan's data included
  Index limit = 0;  ///< nine tenths of what the context may use: a plan with more is refused, for no plan foresees all
  /// Bytes at the peak of each stage, in the order in which they run, with what is kept of the earlier ones.
  std::vector<std::pair<std::string, Index>> stage_bytes;

  Index trajectories = 0;  ///< one after another: for each the transform is planned
  Index solves = 0;        ///< groups of frames that are solved, or gridded, together
  Index frames_at_once = 1;
  Index coils_at_once =
      0;  ///< of a tile: coils are transformed, and spilled maps copied to a GPU, in passes of so many
  bool convolution = false;  ///< A^H A is a convolution, else a pair of transforms

  Index iterations = 0;  ///< of each frame, at most; 0 with gridding
  Index frames = 0;

  /// Arrays that lie outside of the context's memory for lack of room (ReconResources::spill), and their bytes: on the host, or for a
  /// CPU in temporary files.
  std::vector<std::pair<std::string, Index>> spilled{};

  std::shared_ptr<const recon::MemoryNeeds> needs{};  ///< for reconstruct
};

/// Throws what reconstruct throws for options out of range; a plan beyond the limit is none of that.
ReconPlan plan_reconstruction(const Context& ctx, const Scan& scan, const ReconOptions& options = {});

/// Peak memory of reconstruct's arrays on the context's device in bytes, including the scan's data.
Index reconstruction_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

}  // namespace whorl
