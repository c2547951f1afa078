// whorl man: the manual pages, for the build to install. The help does not show it.
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "cli/command.hpp"
#include "cli/help/command_facts.hpp"
#include "cli/help/man_page.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

void write_page(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw IoError(fmt::format("{}: cannot be written: {}", path.string(), std::generic_category().message(errno)));
}

}  // namespace

Command man_command() {
  return {"man", "Write the manual pages of whorl and its commands", "", [](App& app) -> Run {
            const auto folder = std::make_shared<std::string>();
            app.group("");
            const OutputKind existing{.is_folder = true, .in_folder = {".1"}};
            app.add_output("folder", *folder, existing, "Where to; it must be there")->required();
            return [&app, folder](const Session&) {
              for (const ManPage& page : man_pages(root_of(app.native()))) {
                write_page(fs::path(*folder) / (page.name + ".1"), page.text);
              }
            };
          }};
}

}  // namespace whorl::cli
