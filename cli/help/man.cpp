// whorl man: the manual pages, for the build to install. The help does not show it.
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/help/command_facts.hpp"
#include "cli/help/man_page.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

Command man_command() {
  return {"man", "Write the manual pages of whorl and its commands", "", [](App& app) -> Run {
            const auto folder = std::make_shared<std::string>();
            app.group("");
            const OutputKind existing{.is_folder = true, .in_folder = {".1"}};
            app.add_output("folder", *folder, existing, "Where to; it must be there")->required();
            return [&app, folder](const Session&) {
              for (const ManPage& page : man_pages(root_of(app.native()))) {
                write_file(std::filesystem::path(*folder) / (page.name + ".1"), page.text);
              }
            };
          }};
}

}  // namespace whorl::cli
