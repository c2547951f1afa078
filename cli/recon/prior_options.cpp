#include "cli/recon/prior_options.hpp"

#include "whorl/core/error.hpp"
#include "whorl/io/reference_file.hpp"

namespace whorl::cli {

namespace {

const Names<PenaltyKind> penalties{
    {"tikhonov", PenaltyKind::tikhonov}, {"smoothness", PenaltyKind::smoothness}, {"prior", PenaltyKind::prior}};

}  // namespace

void add_prior_options(App& app, ReconOptions& options, std::vector<std::string>& files) {
  constexpr const char* group = "Penalty (cg-sense)";
  Option* penalty =
      add_choice(app, "--penalty", penalties, options.penalty,
                 "What lambda holds down: values, differences of neighbors, or those within a tissue of the references")
          ->group(group);
  app.add_option(
         "--prior", files,
         "Reference image of the same patient (NIfTI), of any contrast; once for each. It means --penalty prior, and "
         "--lambda 0.1 unless given")
      ->check(Check([&options, penalty](const std::string& file) {
        if (penalty->count() > 0 && options.penalty != PenaltyKind::prior) {
          return "'" + file + "' has no use with another --penalty than prior";
        }
        options.penalty = PenaltyKind::prior;
        return std::string();
      }))
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--prior-noise", options.edges.noise_factor,
                 "A difference in a reference is an edge beyond so many standard deviations of its noise")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--prior-contrast", options.edges.contrast,
                 "And beyond this part of the reference's median value, 0 to 1")
      ->check(range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
}

void read_references(const Context& ctx, const std::vector<std::string>& files, ReconOptions& options) {
  if (options.penalty == PenaltyKind::prior && files.empty()) {
    throw ValueError("--penalty prior: no reference image; name one or several by --prior FILE");
  }
  for (const std::string& file : files) {
    options.references.push_back(std::make_shared<const ReferenceImage>(read_reference(ctx, file)));
  }
}

Parameters describe_penalty(const ReconOptions& options) {
  Parameters parameters{{"penalty", name_of(penalties, options.penalty)}};
  if (options.penalty == PenaltyKind::prior) {
    parameters.emplace_back("prior_noise", options.edges.noise_factor);
    parameters.emplace_back("prior_contrast", options.edges.contrast);
  }
  return parameters;
}

}  // namespace whorl::cli
