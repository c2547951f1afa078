#include "cli/recon/prior_options.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/options/option_values.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/recon/option_tables.hpp"

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

void add_support_option(App& app, ReconOptions& options, std::string& file) {
  const std::vector<std::string> words{"auto", "ball", "none"};
  const auto is_word = [words](const std::string& given) {
    return std::find(words.begin(), words.end(), given) != words.end();
  };
  app.add_word("--support", file,
               "Where the image may differ from 0, in the solver of every method: everywhere (none), in the ellipsoid "
               "inscribed in the field of view (ball), or where this image is above 1/2. auto: none, but gridding as "
               "--mask says")
      ->check(offer(words))
      ->check(Check([&options, is_word](const std::string& given) {
        if (!is_word(given) && given.find('.') == std::string::npos && !std::filesystem::exists(given)) {
          return "'" + given + "' is no file; expected auto, ball, none or the file of an image";
        }
        option_table<ReconOptions>().set(options, "support", is_word(given) ? given : "image");
        return std::string();
      }))
      ->type_name("auto|ball|none|FILE")
      ->group("Images");
  app.files().add_input("--support", [&file, is_word] {
    return file.empty() || is_word(file) ? std::vector<std::string>() : std::vector<std::string>{file};
  });
}

void read_support(const Context& ctx, const std::string& file, ReconOptions& options) {
  if (options.support != ImageSupport::image) return;
  options.support_image = std::make_shared<const ReferenceImage>(read_reference(ctx, file));
}

void read_references(const Context& ctx, const std::vector<std::string>& files, ReconOptions& options) {
  for (const std::string& file : files) {
    options.references.push_back(std::make_shared<const ReferenceImage>(read_reference(ctx, file)));
  }
}

}  // namespace whorl::cli
