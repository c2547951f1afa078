// whorl study, in a build without the studies (WHORL_BUILD_STUDIES): it says how to get them.
#include "cli/command.hpp"

namespace whorl::cli {

Command study_command() {
  return {
      "study", "Not in this build: an experiment of a paper again", "", [](App& app) -> Run {
        app.group("");
        app.add_words_function(
            "name", [](const std::vector<std::string>&) {}, "The study");
        app.callback([] {
          refuse("study: this build has no studies, as that of scripts/demo; scripts/build release --all adds them");
        });
        return [](const Session&) {};
      }};
}

}  // namespace whorl::cli
