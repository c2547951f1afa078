#include "cli/recon/prior_options.hpp"

#include "whorl/core/error.hpp"
#include "whorl/io/reference_file.hpp"

namespace whorl::cli {

void add_prior_options(App& app, ReconOptions& options, std::vector<std::string>& files) {
  constexpr const char* group = "Penalty (cg-sense)";
  const Option* penalty = app.get_option("--penalty");
  app.add_input("--prior", files,
                "Reference image of the same patient, of any contrast; once for each. It means --penalty prior, and "
                "--lambda 0.1 unless given")
      ->check(Check([&options, penalty](const std::string& file) {
        if (penalty->count() > 0 && options.penalty != PenaltyKind::prior) {
          return "'" + file + "' has no use with another --penalty than prior";
        }
        options.penalty = PenaltyKind::prior;
        return std::string();
      }))
      ->allow_extra_args(false)
      ->group(group)
      ->when("cg-sense and a lambda above 0", [&options] {
        return options.method == ReconMethod::cg_sense && (options.lambda > 0 || options.lambda_search);
      });
}

void read_references(const Context& ctx, const std::vector<std::string>& files, ReconOptions& options) {
  for (const std::string& file : files) {
    options.references.push_back(std::make_shared<const ReferenceImage>(read_reference(ctx, file)));
  }
}

}  // namespace whorl::cli
