#include "cli/recon/recon_options.hpp"

#include "cli/recon/lambda_options.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

// How other density weights than Pipe-Menon's are made is left to whorl density.
const Shown shown{.but = {"pipe-menon-tolerance", "cell", "boundary"}};

}  // namespace

void add_recon_options(App& app, ReconOptions& options) {
  add_options(app, options, shown);
  app.get_option("--pipe-menon-iterations")->when("--density pipe-menon or auto", [&options] {
    return options.density == DensityMethod::pipe_menon || options.density == DensityMethod::automatic;
  });
}

Parameters describe(const ReconOptions& options) {
  Parameters parameters = parameters_of(options, shown);
  if (options.method == ReconMethod::cg_sense) {
    append(parameters, describe_lambda(options.lambda, options.lambda_search));
  }
  std::string regularizers;
  for (const Regularizer& term : options.regularizers)
    regularizers += (regularizers.empty() ? "" : " ") + to_text(term);
  if (!regularizers.empty()) parameters.emplace_back("regularize", regularizers);
  if (options.support_image != nullptr) {
    parameters.emplace_back("support", options.support_image->source);
  } else if (options.support != ImageSupport::automatic) {
    parameters.emplace_back("support", to_text(option_table<ReconOptions>().get(options, "support")));
  }
  if (options.filter) parameters.emplace_back("filter", options.filter->name);
  return parameters;
}

}  // namespace whorl::cli
