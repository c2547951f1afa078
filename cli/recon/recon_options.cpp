#include "cli/recon/recon_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/command_line.hpp"
#include "cli/filter/arguments.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

constexpr const char* penalty_group = "Penalty (cg-sense)";

void add_support_option(App& app, ReconWords& words) {
  const std::vector<std::string> known{"auto", "ball", "none"};
  const auto is_word = [known](const std::string& given) {
    return std::find(known.begin(), known.end(), given) != known.end();
  };
  app.add_word("--support", words.support,
               "Where the image may differ from 0, in the solver of every method: everywhere (none), in the ellipsoid "
               "inscribed in the field of view (ball), or where this image is above 1/2. auto: none, but gridding as "
               "--mask says")
      ->check(offer(known))
      ->check(Check([&request = words.request, is_word](const std::string& given) {
        if (!is_word(given) && given.find('.') == std::string::npos && !std::filesystem::exists(given)) {
          return "'" + given + "' is no file; expected auto, ball, none or the file of an image";
        }
        option_table<ReconOptions>().set(request.recon, "support", is_word(given) ? given : "image");
        request.support.file = is_word(given) ? std::string() : given;
        return std::string();
      }))
      ->type_name("auto|ball|none|FILE")
      ->group("Images");
  app.files().add_input("--support", [&words] { return std::vector{words.request.support.file}; });
}

void add_regularizers(App& app, ReconOptions& options) {
  const auto take = [&options](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      try {
        options.regularized.terms.push_back(parse_regularizer(text));
      } catch (const ValueError& error) {
        refuse_option("--regularize", error.what());
      }
    }
  };
  app.add_words_function(
         "--regularize", take,
         "What the image is expected to be, once for each term: KIND:WEIGHT, such as tv:medium (few edges), "
         "wavelet:weak or llr:auto (frames alike). Weights are weak, medium, strong, a number around 1 in units of the "
         "noise, or auto (gcv, discrepancy). Kinds, with their own values: " +
             regularizer_kinds() + ". It means --lambda 0 unless given (docs/howto/regularization.md)")
      ->type_name("KIND:WEIGHT,NAME=VALUE,...")
      ->type_size(1)
      ->expected(1, 64)
      ->allow_extra_args(false)
      ->group(penalty_group)
      ->when("cg-sense", [&options] { return options.method == ReconMethod::cg_sense; });
}

}  // namespace

JobResources resources_of(const Session& session, const std::string& filter, CheckWritten check_written) {
  const std::vector<std::string> files = files_of_pipeline(filter);
  return {.host = session.ctx,
          .devices = [&session] { return session.devices(); },
          .ranks = session.ranks,
          .command_line = session.command_line,
          .inputs = {files.begin(), files.end()},
          .check_written = std::move(check_written)};
}

void add_recon_options(App& app, ReconOptions& options) {
  // How other density weights than Pipe-Menon's are made is left to whorl density.
  add_options(app, options, Shown{.but = {"pipe-menon-tolerance", "cell", "boundary"}});
  app.get_option("--pipe-menon-iterations")->when("--density pipe-menon or auto", [&options] {
    return options.density == DensityMethod::pipe_menon || options.density == DensityMethod::automatic;
  });
}

void add_lambda_options(App& app, LambdaRequest& options, std::string& picture, double usual,
                        const std::string& group) {
  add_options(app, options,
              Shown{.changed = {{.name = "lambda",
                                 .fallback = fmt::format("{:g}", usual),
                                 .choices = lambda_words(false),
                                 .group = group},
                                {.name = "lambda-probes", .group = group},
                                {.name = "lambda-seed", .group = group}}});
  app.add_output("--lambda-curve", picture, png_output(), "Picture of the curve on which lambda was chosen (.png)")
      ->group(group)
      ->when("--lambda gcv or lcurve", [&options] { return options.method.has_value(); });
}

void add_prior_options(App& app, ReconWords& words) {
  ReconOptions& options = words.request.recon;
  const Option* penalty = app.get_option("--penalty");
  app.add_input("--prior", words.references,
                "Reference image of the same patient, of any contrast; once for each. It means --penalty prior, and "
                "--lambda gcv unless given")
      ->check(Check([&options, penalty](const std::string& file) {
        if (penalty->count() == 0 || options.cg_sense.penalty == PenaltyKind::prior) return std::string();
        return "'" + file + "' has no use with another --penalty than prior";
      }))
      ->allow_extra_args(false)
      ->group(penalty_group);
  add_support_option(app, words);
  add_regularizers(app, options);
}

}  // namespace whorl::cli
