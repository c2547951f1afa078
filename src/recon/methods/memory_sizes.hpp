// The sizes from which the memory of a method follows.
#pragma once

#include <functional>
#include <vector>

#include "recon/encoding/signal_model.hpp"
#include "recon/joined/joined_memory.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/memory_needs.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::recon {

struct MemorySizes {
  const Context& ctx;
  const Scan& scan;
  const ReconOptions& options;
  const Tiles& tiles;
  const SignalOptions& signal;                                      ///< as it was given
  const std::vector<PlannedScan>& scans;                            ///< the scan, and those that are solved with it
  const std::vector<std::vector<const Trajectory*>>& trajectories;  ///< of each frame (trajectories_of_frames)
  const ScanFrame& frame;  ///< the largest one, or of a subspace all frames of the largest slice
  Shape image;
  Index images;
  Index coils;
  Index data;  ///< bytes of the largest frame's samples
  SignalMemory evolution{};
  NufftMemory transform{};  ///< of the largest frame; without its plan where that is kept
  Index plan = 0;           ///< bytes of the transform's plan, and in addition while it is made
  Index planning = 0;

  /// What the blocks of arrays take over their bytes: a pool rounds them up (bytes_of_block), those of images alike.
  double blocks() const;
  /// Bytes of arrays that fit into what may be planned with.
  Index room() const { return static_cast<Index>(static_cast<double>(usable_memory(ctx)) / blocks()); }
  bool on_host() const { return ctx.device().kind == DeviceKind::cpu; }
  Index samples() const { return frame.trajectory->samples(); }
  Index image_bytes() const { return image.size() * complex_bytes; }
  /// Positions that a subspace has of all frames of a slice, which stay on the host.
  Index joined_positions() const {
    return options.subspace != nullptr && on_host()
               ? frame.trajectory->points.size() * static_cast<Index>(sizeof(double))
               : 0;
  }
  /// Bytes that a GPU has of spilled arrays for a time: the samples of a frame, where all coils are taken at once, and each
  /// image of a group while the group is solved.
  Index spilled_frame_data() const { return tiles.data && !on_host() ? data : 0; }
  Index spilled_group_image() const { return tiles.images && !on_host() ? image_bytes() : 0; }
};

/// The transform of the largest frame, on a context like that of the sizes or a part of it.
NufftMemory transform_of_frame(const Context& ctx, const MemorySizes& sizes);

/// Adds what least squares makes beside maps and transform: penalty and certificate. Returns the sizes of its solver, with
/// what tiles add to the transform.
LeastSquaresSizes add_least_squares(const MemorySizes& sizes, MemoryPlan& plan);

/// The most frames of a group that is solved at once, and the most trajectories that these have: the transform of each is
/// kept meanwhile.
struct GroupSizes {
  Index frames = 1;
  Index trajectories = 1;
};
GroupSizes largest_group(const MemorySizes& sizes);

/// The most frames, at least one, for which memory(frames), which grows, fits.
Index most_that_fit(Index room, Index most, const std::function<Index(Index)>& memory);

/// Adds the iterations with regularizers of so many images, which are solved together, and what comes before and after them.
void add_regularized(const MemorySizes& sizes, const LeastSquaresSizes& solved, Index images, MemoryPlan& plan,
                     MemoryNeeds& needs);

/// Replicas or probes of error bars that are solved together where there is room.
Index most_replicas(const StandardDeviationOptions& noise);

}  // namespace whorl::recon
