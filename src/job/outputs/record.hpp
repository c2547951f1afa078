// Contents of the record of a reconstruction.
#pragma once

#include <string>

#include "whorl/core/note.hpp"
#include "whorl/io/parameters.hpp"
#include "whorl/job/request.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::job {

/// Description of how images are made: the options, and what the scan says of itself.
Parameters parameters_of(const ReconRequest& request, const Scan& scan);

/// A sentence for people on how the solver ended.
Note solver_note(const ReconOptions& options, const std::vector<SolverReport>& reports);

/// Adds how the images came about.
void describe_solution(const ReconOptions& options, const Reconstruction& result, RunRecord& record);

}  // namespace whorl::job
