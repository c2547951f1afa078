// How long a reconstruction will take: from a rehearsal, a small part of it done on the device itself.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whorl/recon/options.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/subspace.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// The time of a stage is once + per_unit * units. The units of each stage count what it does: coils, voxels, samples,
/// frames, and for transforms the model that chooses their grid.
struct StageSpeed {
  double once = 0;      ///< s: what the first run in a process takes in addition
  double per_unit = 0;  ///< s
};

/// How fast a device does the stages of one kind of reconstruction.
struct ReconSpeeds {
  std::vector<std::pair<std::string, StageSpeed>> stages;  ///< in the order in which they run
  double ended_after = 0;   ///< iterations, where the solver of the rehearsal ended before its limit; 0: it did not
  double applications = 1;  ///< of the normal operator in an iteration
  int ranks = 1;            ///< that shared the rehearsed reconstruction, and share the predicted one
};

struct Rehearsal {
  ReconSpeeds speeds;
  Array<std::complex<float>> images;  ///< [frame, z, y, x] on the host: for the time to write them
  std::vector<ImageFrame> frames;
  std::string note;  ///< a sentence: what was done
};

/// Reconstructs the first frames of the scan, with the same options and the plan's tiles, twice or three times: the first time tells
/// what a new process pays once. A large image is replaced by one of fewer voxels (the center of k-space), and where that is
/// so, by fewer iterations; the stages' times then grow with their units from one size to the next. How many iterations the
/// solver takes is then found with part of the smaller image's samples: as many for each voxel as the whole image has, with a
/// spectrum that falls as that one does. It takes some seconds on a CPU, less on a GPU. Nothing is said to
/// options.on_image, finished and plans. `plan` is that of plan_reconstruction for this context, scan and options.
///
/// With several ranks (options.ranks; collective) or devices all teams rehearse at the same time, since they may share cores and buses. Each
/// rank has the whole scan. Where ranks share coils, what applies A^H A is rehearsed once more with the coils of one
/// rank, and messages are measured. The speeds are those of the first rank.
///
/// Throws  what reconstruct throws
Rehearsal rehearse(const Context& ctx, const Scan& scan, const ReconOptions& options, const ReconPlan& plan);
Rehearsal rehearse(std::span<const Context> devices, const Scan& scan, const ReconOptions& options,
                   const ReconPlan& plan);

/// As above, for reconstruct_subspace: all frames of the first slice, with the basis. The samples that tell how many iterations
/// the solver takes are some of the readouts of all frames together. With weighted samples a whole slice is reconstructed.
///
/// Throws  what reconstruct_subspace throws
Rehearsal rehearse(const Context& ctx, const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options);
Rehearsal rehearse(std::span<const Context> devices, const Scan& scan, const SubspaceBasis& basis,
                   const ReconOptions& options);

/// Seconds of each stage of a reconstruction on the device that was measured. They grow with iterations, coils and frames. Of
/// several ranks they are those of the team that takes longest.
std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const ReconOptions& options, const ReconPlan& plan,
                                                              const ReconSpeeds& speeds);
std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const SubspaceBasis& basis, const ReconOptions& options,
                                                              const ReconSpeeds& speeds);

}  // namespace whorl
