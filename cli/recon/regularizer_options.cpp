#include "cli/recon/regularizer_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::cli {

void add_regularizer_options(App& app, ReconOptions& options) {
  const auto take = [&options](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      try {
        options.regularizers.push_back(parse_regularizer(word));
      } catch (const ValueError& error) {
        refuse_option("--regularize", error.what());
      }
    }
  };
  app.add_words_function(
         "--regularize", take,
         "What the image is expected to be, once for each term: KIND:WEIGHT, such as tv:medium (few edges), "
         "wavelet:weak or llr:auto (frames alike). Weights are weak, medium, strong, a number around 1 in units of the "
         "noise, or auto (gcv, discrepancy). Kinds, with their own values: tv and tgv (axes, cyclic), ictv (edges in "
         "space or in time), wavelet (taps, levels, approximation, joint), l1, llr (patch), low-rank-sparse, positive. "
         "It means --lambda 0 unless given (docs/howto/regularization.md)")
      ->type_name("KIND:WEIGHT,NAME=VALUE,...")
      ->type_size(1)
      ->expected(1, 64)
      ->allow_extra_args(false)
      ->group("Penalty (cg-sense)")
      ->when("cg-sense", [&options] { return options.method == ReconMethod::cg_sense; });
}

RecordTable solver_table(const std::string& name, const SolverReport& report) {
  return {name,
          {{"cost", report.costs},
           {"primal_residual", report.primal_residuals},
           {"dual_residual", report.dual_residuals},
           {"gap", report.gaps},
           {"change", report.changes}}};
}

std::string regularizer_note(const ReconOptions& options, const std::vector<SolverReport>& reports) {
  const SolverReport& worst = *std::max_element(
      reports.begin(), reports.end(),
      [](const SolverReport& a, const SolverReport& b) { return a.residuals.back() < b.residuals.back(); });
  return fmt::format("{}: {} iterations, {} applications of the normal operator, residual {:.2e}; {}.",
                     to_string(solver_for(options.solver, options.regularizers, has_support(options))),
                     worst.iterations, worst.operator_applications, worst.residuals.back(), describe_ends(reports));
}

}  // namespace whorl::cli
