// Options of reconstructions, most of them by their tables. Other commands have some of them too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/recon/recon_words.hpp"
#include "whorl/job/recon_job.hpp"

namespace whorl::cli {

/// Group of the options of cg-sense.
inline constexpr const char* solver_group = "Solver (cg-sense)";

/// What a job has of a session, which must outlive it. `filter`: the pipeline, whose files count for the record.
JobResources resources_of(const Session& session, const std::string& filter, CheckWritten check_written);

/// All but lambda, supports, regularizers and error bars.
void add_recon_options(App& app, ReconOptions& options);

/// --lambda and what belongs to it; --lambda-curve writes `picture`. The help shows `usual` as the default.
/// `chooses_weights`: whether weights of regularizers are chosen on a curve too.
void add_lambda_options(
    App& app, LambdaRequest& options, std::string& picture, const std::string& usual, bool noise_is_known,
    const std::string& group, const std::function<bool()>& chooses_weights = [] { return false; });

/// --delays, --motion and all others that correct the data or move the image, or those that are named.
void add_correction_options(App& app, Corrections& options, const std::vector<std::string>& only = {});

/// What the penalty and the solvers hold images to: --prior, --support, --regularize. Behind add_recon_options.
void add_prior_options(App& app, ReconWords& words);

/// --field-map, --r2star, --concomitant and their times.
void add_signal_options(App& app, ReconRequest& request);

}  // namespace whorl::cli
