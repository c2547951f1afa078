// whorl completion: what makes a shell complete commands, options and values.
#include "cli/help/completion.hpp"

#include <cstdio>
#include <memory>

#include "cli/command.hpp"

namespace whorl::cli {

namespace {

constexpr const char* examples = R"(Examples:
  source <(whorl completion bash)       for this shell; in ~/.bashrc, for every one
  whorl completion zsh > ~/.zfunc/_whorl
                                        for zsh; the folder must be in its fpath before compinit runs
An installed whorl has both in place: share/bash-completion/completions and share/zsh/site-functions.)";

}  // namespace

Command completion_command() {
  return {"completion", "Print a script that makes bash or zsh complete whorl's commands and options", examples,
          [](App& app) -> Run {
            const auto shell = std::make_shared<std::string>();
            app.add_word("shell", *shell, "bash or zsh")->check(is_member({"bash", "zsh"}).description(""))->required();
            return [&app, shell](const Session&) {
              const CommandFacts program = describe_command(root_of(app.native()));
              std::fputs((*shell == "bash" ? bash_completion(program) : zsh_completion(program)).c_str(), stdout);
            };
          }};
}

}  // namespace whorl::cli
