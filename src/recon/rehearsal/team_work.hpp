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

/// Collective in the team. Seconds of the messages of an application of A^H A to an image of this shape (SpreadEncodings): the least of
/// some tries.
double message_seconds(const Context& ctx, Communicator& team, const Shape& image);

/// Collective. Seconds until the first rank has an image of this shape from each.
double collecting_seconds(Communicator& ranks, const Shape& image);

}  // namespace whorl::recon
