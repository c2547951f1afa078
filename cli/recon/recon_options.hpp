// Options of reconstructions, most of them by their tables. Other commands have some of them too.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/recon/recon_words.hpp"
#include "whorl/job/recon_job.hpp"

namespace whorl::cli {

/// What a job has of a session, which must outlive it. `filter`: the pipeline, whose files count for the record.
JobResources resources_of(const Session& session, const std::string& filter, CheckWritten check_written);

/// All but lambda, supports, regularizers and error bars.
void add_recon_options(App& app, ReconOptions& options);

/// --lambda of data whose noise is not known, and what belongs to it; --lambda-curve writes `picture`.
void add_lambda_options(App& app, LambdaRequest& options, std::string& picture, double usual, const std::string& group);

/// What the penalty and the solvers hold images to: --prior, --support, --regularize. Behind add_recon_options.
void add_prior_options(App& app, ReconWords& words);

}  // namespace whorl::cli
