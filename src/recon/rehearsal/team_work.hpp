// What each team of ranks does of a reconstruction, and what its messages take.
#pragma once

#include <vector>

#include "recon/ranks/share.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

struct TeamWork {
  Scan scan;        ///< the team's frames, without data
  Index ranks = 1;  ///< that share its coils
};

/// The frames of a scan without their data, in the order in which they are solved.
Scan outline_as_solved(const Scan& scan, const ReconOptions& options);

/// Of so many ranks that share a reconstruction, as Share does, the work of each team; with regularizers `together` frames at
/// most are solved together.
std::vector<TeamWork> work_of_teams(const Scan& scan, const ReconOptions& options, Index together, int ranks);

/// The same within a subspace.
std::vector<TeamWork> subspace_work_of_teams(const Scan& scan, const ReconOptions& options, int ranks);

/// Seconds of the messages of an application of A^H A to an image (SpreadEncodings).
struct MessageSeconds {
  double first = 0;  ///< what the first of them take in addition: NCCL connects the GPUs then
  double each = 0;
};

/// Collective in the team. For images of this shape.
MessageSeconds message_seconds(const Context& ctx, Communicator& team, const Shape& image);

/// Collective in the team. Seconds for each sample of a coil until all ranks have the data of their coils (scatter_coils), of a
/// scan whose data lie on the context's device.
double scattering_seconds(const Context& ctx, Share& share, const Scan& scan);

/// Collective. Seconds for each voxel of a team's images, of this shape, until the first rank has those of all teams.
double collecting_seconds(const Context& host, Share& share, const Shape& image);

}  // namespace whorl::recon
