// The memory that a reconstruction needs, and the sizes from which it follows.
#pragma once

#include "recon/stage.hpp"
#include "whorl/core/context.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Choice of the spilled arrays, and of the way to apply A^H A (plan_tiles).
struct Tiles {
  bool data = false;      ///< samples
  bool images = false;    ///< of finished frames
  bool maps = false;      ///< of coils
  bool coils = false;     ///< images of coils that are gridded
  bool weights = false;   ///< the grid of density weights, or their making
  bool solver = false;    ///< the arrays of a solver with regularizers
  bool single = false;    ///< coils are transformed one at a time
  bool pair = false;      ///< A^H A is a pair of transforms, where it would be a convolution
  bool spectrum = false;  ///< the spectrum of the convolution is made in the memory of a GPU's host
  bool files = false;     ///< all that the transform takes
};

/// The memory that a reconstruction needs, and how much it does at a time with it: as many frames of one trajectory, and
/// as many replicas of error bars, as fit beside what one of them takes, and no more than bring something.
struct MemoryNeeds {
  Index bytes = 0;   ///< of arrays on the context's device, at the peak, the scan's data included
  Index frames = 1;  ///< that least squares solves together
  Index replicas = 1;
  bool plans_ahead = false;     ///< on a GPU: the transforms of frames are planned while those before are solved
  StageValues<Index> stages{};  ///< bytes at the peak of each
  Tiles tiles{};
  Index solver_bytes = 0;    ///< of the solver's arrays at their peak, where they are spilled
  Index resident_bytes = 0;  ///< of these, what the device has room for

  Index spilled_solver_bytes() const { return solver_bytes - resident_bytes; }
};

/// The frames of a slice as one, without its data: their samples one after another.
ScanFrame joined_slice(const Context& ctx, const Scan& scan, int slice);

/// The frame with the most samples, without its data. A subspace transforms the frames of a slice together: then that of the
/// slice with the most.
ScanFrame largest_frame(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// The options as the stages work by them. A subspace has coil maps from all frames, a convolution of its own, and the weights
/// of samples in its courses.
ReconOptions working_options(ReconOptions options, const Tiles& tiles);

/// What arrays may take of the context's memory: a pool rounds its blocks up, most of them by less than a tenth
/// (test_memory.cpp).
Index usable_memory(const Context& ctx);

/// Bytes that a solver's arrays may take where they are spilled: of a GPU what Context::spilled allows; temporary files say
/// themselves what is missing.
Index room_for_solver(const Context& ctx);

/// Coils that are left after compression.
Index coils_used(const Scan& scan, const ReconOptions& options);

}  // namespace whorl::recon
