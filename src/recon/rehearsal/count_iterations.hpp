// How many iterations a reconstruction's solver will take, from a smaller problem that is as hard.
#pragma once

#include <vector>

#include "recon/rehearsal/smaller_scan.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::recon {

/// Of one solve, in the mean.
struct IterationCount {
  double iterations = 0;
  double applications = 0;  ///< of the normal operator
};

IterationCount mean_count(const std::vector<SolverReport>& reports);

/// The data of an excerpt's first slice, prewhitened and with compressed coils if the options say so, which are as hard to
/// solve for as the whole. The center of k-space alone is not: there are more samples for each voxel, and its signal is
/// larger up to the edge of the smaller k-space. So it has some of the readouts, as many samples per voxel as the whole
/// scan, and its spectrum falls as that of the whole, in cycles per voxel. Coil maps come with it, from all central samples.
Scan equally_hard_scan(const Context& ctx, const Scan& scan, const Excerpt& excerpt, const ReconOptions& options);

/// What the solver takes for those data. Weights that are chosen from the data are those of `chosen`.
///
/// Accuracy  within some 25 % (docs/performance.md)
/// Throws    what reconstruct throws
IterationCount count_iterations(const Context& ctx, const Scan& scan, const Excerpt& excerpt,
                                const ReconOptions& options, const std::vector<SliceLambda>& chosen);

/// The same within a subspace, of the frames of one slice. Their readouts are thinned out together: frames of which none is left
/// are left out.
IterationCount count_iterations(const Context& ctx, const Scan& slice, const Excerpt& excerpt,
                                const SubspaceBasis& basis, const ReconOptions& options);

}  // namespace whorl::recon
