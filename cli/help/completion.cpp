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
  whorl completion fish > ~/.config/fish/completions/whorl.fish
                                        for fish
An installed whorl has them in place: share/bash-completion/completions, share/zsh/site-functions and
share/fish/vendor_completions.d.)";

std::string script_for(const std::string& shell, const CommandFacts& program) {
  if (shell == "bash") return bash_completion(program);
  return shell == "zsh" ? zsh_completion(program) : fish_completion(program);
}

}  // namespace

Command completion_command() {
  return {"completion", "Print a script that makes bash, zsh or fish complete whorl's commands and options", examples,
          [](App& app) -> Run {
            const auto shell = std::make_shared<std::string>();
            app.add_word("shell", *shell, "bash, zsh or fish")
                ->check(is_member({"bash", "zsh", "fish"}).description(""))
                ->required();
            return [&app, shell](const Session&) {
              const CommandFacts program = describe_command(root_of(app.native()));
              std::fputs(script_for(*shell, program).c_str(), stdout);
            };
          }};
}

}  // namespace whorl::cli
