// Completion: the scripts are run by the shells that they are for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/app.hpp"
#include "cli/help/completion.hpp"
#include "cli/options/option_values.hpp"
#include "help_words.hpp"
#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace whorl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Words = std::vector<std::string>;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string script_of(const std::string& shell) {
  const auto result = test::run_process({WHORL_PROGRAM, "completion", shell});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

// Commands two deep, as none of the program's need be: "whorl group leaf", with an option of several words, a set, a
// positional set, and a quote and brackets in the texts. Never run.
std::vector<cli::Command> nested_commands() {
  const cli::Command leaf{
      "leaf", "The leaf's summary: [one]", "", [](cli::App& options) -> cli::Run {
        CLI::App& app = options.native();
        app.add_option("--pair", "Two [numbers]: x's and y's")->type_name("FLOAT")->expected(2);
        app.add_option("--shape", "A shape")->type_name("TEXT")->check(CLI::IsMember({"round", "square"}));
        app.add_option("kind", "A kind")->type_name("TEXT")->check(CLI::IsMember({"first", "second"}))->required();
        app.add_option("files", "Files")->type_name("FILE")->expected(1, 1000);
        return {};
      }};
  return {{"group", "A group", "", {}, {leaf}}, {"other", "Another", "", [](cli::App&) -> cli::Run { return {}; }}};
}

std::string nested_script(std::string (*make)(const cli::CommandFacts&)) {
  cli::Program program(nested_commands());
  return make(cli::describe_command(program.app()));
}

// What bash offers for the last of the words, in the order of the script; "<files>" where readline completes files.
Words completed_by_bash(const std::string& script, const Words& words) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "script", script);
  // Outside of readline compopt is an error: here it says what it was asked for.
  constexpr const char* driver = R"bash(
compopt() { [[ "$*" == "-o default" ]] && echo '<files>'; }
source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _whorl && printf '%s\n' "${COMPREPLY[@]}"
complete -p whorl)bash";
  Words command{"/bin/bash", "--norc", "-uc", driver, "bash", folder / "script", "whorl"};
  command.insert(command.end(), words.begin(), words.end());
  const auto result = test::run_process(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  Words offered = lines_of(result.out);
  EXPECT_FALSE(offered.empty());
  if (offered.empty()) return {};
  EXPECT_EQ(offered.back(), "complete -F _whorl whorl");
  offered.pop_back();
  std::erase(offered, "");
  return offered;
}

TEST(BashCompletion, CommandsOptionsValuesAndFiles) {
  const std::string script = script_of("bash");
  EXPECT_THAT(completed_by_bash(script, {""}), Contains("recon"));
  EXPECT_THAT(completed_by_bash(script, {""}), Not(Contains("man")));
  EXPECT_THAT(completed_by_bash(script, {"inf"}), ElementsAre("info"));
  EXPECT_THAT(completed_by_bash(script, {"--ver"}), ElementsAre("--version"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "--it"}), ElementsAre("--iterations"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "scan.h5", "--method", ""}),
              UnorderedElementsAre("cg-sense", "gridding", "nlinv"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "--method", "cg-sense", "--density", "p"}),
              ElementsAre("pipe-menon"));
  EXPECT_THAT(completed_by_bash(script, {"convert", "a.mat", "--kind", "spi"}), ElementsAre("spiral"));
  EXPECT_THAT(completed_by_bash(script, {"info", "--trajectory-unit", "cyc"}),
              ElementsAre("cycles/fov", "cycles/pixel"));
  EXPECT_THAT(completed_by_bash(script, {"info", "--device", "c"}), ElementsAre("cpu", "cuda"));
  EXPECT_THAT(completed_by_bash(script, {"completion", ""}), UnorderedElementsAre("bash", "fish", "zsh"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "sc"}), ElementsAre("<files>"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "scan.h5", "-o", ""}), ElementsAre("<files>"));
  EXPECT_THAT(completed_by_bash(script, {"convert", "a.cfl", "b.cfl", "c"}), ElementsAre("<files>"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "--threads", ""}), IsEmpty());
}

TEST(BashCompletion, WordsThatBashTakesApart) {
  const std::string script = script_of("bash");
  EXPECT_THAT(completed_by_bash(script, {"recon", "--method", "=", "g"}), ElementsAre("gridding"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "--maps", "="}), ElementsAre("espirit", "file", "nlinv", "walsh"));
  EXPECT_THAT(completed_by_bash(script, {"recon", "--device", "cuda", ":", "0", "--metho"}), ElementsAre("--method"));
  // The file is the one argument: what is left are options.
  EXPECT_THAT(completed_by_bash(script, {"info", "scan.h5", ""}), Contains("--trajectory-unit"));
}

TEST(BashCompletion, AnyDepthOfCommands) {
  const std::string script = nested_script(cli::bash_completion);
  EXPECT_THAT(completed_by_bash(script, {""}), ElementsAre("group", "other"));
  EXPECT_THAT(completed_by_bash(script, {"group", ""}), ElementsAre("leaf"));
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "--sh"}), ElementsAre("--shape"));
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "--shape", ""}), ElementsAre("round", "square"));
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "f"}), ElementsAre("first"));
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "--pair", "-1", ""}), IsEmpty());
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "--pair", "-1", "2", ""}), ElementsAre("first", "second"));
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "first", ""}), ElementsAre("<files>"));
  EXPECT_THAT(completed_by_bash(script, {"group", "leaf", "first", "a", "b", ""}), ElementsAre("<files>"));
}

TEST(BashCompletion, EveryCommandAndOptionOfTheHelp) {
  const std::string script = script_of("bash");
  for (const test::HelpOfCommand& help : test::all_help()) {
    Words words = help.words;
    words.emplace_back("-");
    EXPECT_FALSE(help.options.empty());
    const Words offered = completed_by_bash(script, words);
    for (const std::string& option : help.options) EXPECT_THAT(offered, Contains(option)) << words.front();
    words.back() = "";
    if (help.commands.empty()) continue;
    EXPECT_EQ(completed_by_bash(script, words), help.commands);
  }
}

// Where zsh is not there, its tests are skipped.
std::string zsh_path() {
  const auto result = test::run_process({"/bin/bash", "-c", "command -v zsh || true"});
  return result.out.substr(0, result.out.find('\n'));
}

// Presses the tabulator key in a zsh of its own after each of the lines; what it shows then.
std::vector<std::string> completed_by_zsh(const std::string& zsh, const std::string& script, const Words& lines) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "_whorl", script);
  constexpr const char* driver = R"zsh(
zmodload zsh/zpty && zpty shell zsh -f -i || exit 3
# All that the shell says up to the word.
await() { local part; while [[ $said != *$1* ]]; do zpty -r shell part || exit 4; said+=$part; done }
said=
zpty -w shell "PS1= TERM=dumb; stty cols 200; LISTMAX=1000; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w shell "bindkey '^I' list-choices; bindkey -s '^X' ' \C-u print fin\"ished\"\n'; print rea''dy"
await ready
for line in "${@:2}"; do
  said=
  zpty -w -n shell "$line"$'\t\C-x'
  await finished
  print -rn -- $said$'\0'
done
zpty -d shell
)zsh";
  Words command{zsh, "-fc", driver, "zsh", folder.path()};
  command.insert(command.end(), lines.begin(), lines.end());
  const auto result = test::run_process(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> shown;
  std::istringstream stream(result.out);
  for (std::string text; std::getline(stream, text, '\0');) shown.push_back(text);
  EXPECT_EQ(shown.size(), lines.size());
  shown.resize(lines.size());
  return shown;
}

TEST(ZshCompletion, TheScriptNamesEveryCommandAndOption) {
  const std::string script = script_of("zsh");
  EXPECT_TRUE(script.starts_with("#compdef whorl\n"));
  for (const test::HelpOfCommand& help : test::all_help()) {
    std::string name = "_whorl";
    for (const std::string& word : help.words) name += "_" + word;
    const std::size_t begin = script.find("\n" + name + "() {\n");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::string function = script.substr(begin, script.find("\n}\n", begin) - begin);
    for (const std::string& option : help.options) {
      EXPECT_TRUE(function.find(option + "[") != std::string::npos ||
                  function.find(option + "=[") != std::string::npos ||
                  function.find(option + "+[") != std::string::npos)
          << name << " " << option;
    }
    for (const std::string& command : help.commands) EXPECT_THAT(function, HasSubstr("'" + command + ":"));
  }
}

TEST(ZshCompletion, ZshReadsAndCompletes) {
  const std::string zsh = zsh_path();
  if (zsh.empty()) GTEST_SKIP() << "zsh is not installed (Debian: zsh): the zsh completion is not tested";
  const std::string script = script_of("zsh");
  const std::string nested = nested_script(cli::zsh_completion);
  for (const std::string& text : {script, nested}) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "_whorl", text);
    const auto result = test::run_process({zsh, "-n", folder / "_whorl"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
  }
  const auto shown =
      completed_by_zsh(zsh, script, {"whorl ", "whorl recon --it", "whorl recon a.h5 --density ", "whorl completion "});
  EXPECT_THAT(shown[0], HasSubstr("Reconstruct a scan"));
  EXPECT_THAT(shown[0], HasSubstr("convert"));
  EXPECT_THAT(shown[1], HasSubstr("Iterations at most"));
  EXPECT_THAT(shown[2], HasSubstr("pipe-menon"));
  EXPECT_THAT(shown[3], HasSubstr("zsh"));
  const auto deep = completed_by_zsh(
      zsh, nested,
      {"whorl group ", "whorl group leaf --", "whorl group leaf --pair 1 2 ", "whorl group leaf --shape "});
  EXPECT_THAT(deep[0], HasSubstr("The leaf's summary: [one]"));
  EXPECT_THAT(deep[1], HasSubstr("Two [numbers]: x's and y's"));
  EXPECT_THAT(deep[2], HasSubstr("second"));
  EXPECT_THAT(deep[3], HasSubstr("square"));
}

// Where fish is not there, its tests are skipped.
std::string fish_path() {
  const auto result = test::run_process({"/bin/bash", "-c", "command -v fish || true"});
  return result.out.substr(0, result.out.find('\n'));
}

// What fish offers for a line: words, without what it says of them.
Words completed_by_fish(const std::string& fish, const std::string& script, const std::string& line) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "script", script);
  test::write_file(folder / "scan.h5", "");
  const auto result = test::run_process(
      {"/bin/bash", "-c", "cd \"$1\" && HOME=\"$1\" \"$2\" --no-config -c 'source script; complete -C \"'\"$3\"'\"'",
       "bash", folder.path(), fish, line});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  Words words = lines_of(result.out);
  for (std::string& word : words) word.resize(std::min(word.size(), word.find('\t')));
  return words;
}

TEST(FishCompletion, TheScriptNamesEveryCommandAndOption) {
  const Words lines = lines_of(script_of("fish"));
  for (const test::HelpOfCommand& help : test::all_help()) {
    std::string condition = help.commands.empty() ? "-n '__whorl_at" : "-n '__whorl_next";
    for (const std::string& word : help.words) condition += " " + word;
    const auto has = [&](const std::string& part) {
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(condition + "'") != std::string::npos && line.find(part) != std::string::npos;
      });
    };
    for (const std::string& option : help.options) {
      EXPECT_TRUE(has(option.starts_with("--") ? " -l " + option.substr(2) + " " : " -s " + option.substr(1) + " "))
          << condition << " " << option;
    }
    for (const std::string& command : help.commands) EXPECT_TRUE(has(" -a " + command + " ")) << condition;
  }
}

TEST(FishCompletion, FishReadsAndCompletes) {
  const std::string fish = fish_path();
  if (fish.empty()) GTEST_SKIP() << "fish is not installed (Debian: fish): the fish completion is not tested";
  const std::string script = script_of("fish");
  const auto offered = [&](const std::string& line) { return completed_by_fish(fish, script, line); };
  EXPECT_THAT(offered("whorl "), Contains("recon"));
  EXPECT_THAT(offered("whorl "), Not(Contains("man")));
  EXPECT_THAT(offered("whorl inf"), ElementsAre("info"));
  EXPECT_THAT(offered("whorl recon --iter"), ElementsAre("--iterations"));
  EXPECT_THAT(offered("whorl recon scan.h5 --method "), UnorderedElementsAre("cg-sense", "gridding", "nlinv"));
  EXPECT_THAT(offered("whorl recon --method=g"), ElementsAre("--method=gridding"));
  EXPECT_THAT(offered("whorl completion "), UnorderedElementsAre("bash", "fish", "zsh"));
  EXPECT_THAT(offered("whorl nufft "), UnorderedElementsAre("adjoint", "forward", "inverse"));
  EXPECT_THAT(offered("whorl recon scan"), ElementsAre("scan.h5"));
  const std::string nested = nested_script(cli::fish_completion);
  EXPECT_THAT(completed_by_fish(fish, nested, "whorl group leaf --sh"), ElementsAre("--shape"));
  EXPECT_THAT(completed_by_fish(fish, nested, "whorl group leaf --shape "), UnorderedElementsAre("round", "square"));
  EXPECT_THAT(completed_by_fish(fish, nested, "whorl group leaf f"), ElementsAre("first"));
}

TEST(Completion, AnotherShellIsAMistake) {
  const auto result = test::run_process({WHORL_PROGRAM, "completion", "tcsh"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is 'tcsh', expected bash, zsh or fish"));
}

TEST(OptionValues, AreAskedOfTheChecks) {
  CLI::App app;
  std::string text;
  const std::map<std::string, int> names{{"b", 1}, {"a", 2}};
  const auto values = [&](CLI::Option* option) { return cli::offered_values(*option); };
  EXPECT_THAT(values(app.add_option("--plain", text)), IsEmpty());
  EXPECT_THAT(values(app.add_option("--set", text)->check(CLI::IsMember({"x", "y"}, CLI::ignore_case))),
              ElementsAre("x", "y"));
  EXPECT_THAT(values(app.add_option("--map", text)->check(CLI::IsMember(names).description(""))),
              ElementsAre("a", "b"));
  EXPECT_THAT(values(app.add_option("--range", text)->check(CLI::Range(1, 2))), IsEmpty());
  CLI::Option* offered = app.add_option("--offered", text)->check(cli::offer({"p", "q"}).native());
  EXPECT_THAT(values(offered), ElementsAre("p", "q"));
  app.parse("--offered another");
  EXPECT_EQ(text, "another");
}

}  // namespace
}  // namespace whorl
