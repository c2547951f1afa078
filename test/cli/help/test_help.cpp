// What --help says: the most used options first, in lines that fit; all of them, or those about something, when asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "cli/app.hpp"
#include "cli/help/command_facts.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/array.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string help_of(const std::vector<std::string>& words) {
  static const cli::Program program(cli::commands());
  return program.help_asked_for(words, 0).value_or("none");
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Lines that name options: "  -o,--output FILE   ...".
std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> options;
  for (const std::string& line : lines_in(help)) {
    if (line.starts_with("  -")) options.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return options;
}

// How many lines below an option's name the longest text has.
std::ptrdiff_t longest_text(const std::string& help) {
  std::ptrdiff_t longest = 0;
  std::ptrdiff_t current = 0;
  for (const std::string& line : lines_in(help)) {
    current = line.starts_with(std::string(30, ' ')) ? current + 1 : 0;
    longest = std::max(longest, current);
  }
  return longest;
}

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Before the examples a line ends early only where a sentence or a row ends: no first word of the next one had room in it.
void expect_full_lines(const std::string& help) {
  const std::vector<std::string> lines = lines_in(help);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string& before = lines[i - 1];
    const std::string& line = lines[i];
    if (line == "Examples:") return;
    if (before.empty() || line.empty() || line.starts_with("Usage: ") || before.ends_with('.') || before.ends_with(':'))
      continue;
    const std::size_t indent = indent_of(line);
    const bool is_row = indent > 0 && indent <= 2;
    if (is_row || indent_of(before) != indent) continue;
    const std::size_t word = std::min(line.find(' ', indent), line.size()) - indent;
    EXPECT_GT(before.size() + 1 + word, 80U) << before << '\n' << line;
  }
}

void expect_short_help(std::vector<std::string> words) {
  words.emplace_back("--help");
  const std::string help = help_of(words);
  expect_full_lines(help);
  const std::vector<std::string> options = options_in(help);
  EXPECT_LE(options.size(), 25U) << help;
  EXPECT_LE(longest_text(help), 6) << help;
  std::ptrdiff_t examples = 0;
  for (const std::string& line : lines_in(help)) {
    const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
    EXPECT_TRUE(line.size() <= 80 || is_one_word) << line;
    examples += line.starts_with("  whorl ") ? 1 : 0;
  }
  EXPECT_LE(examples, 3) << help;
  // No option is left out silently; help itself goes without saying.
  words.emplace_back("all");
  if (options.size() + 1 < options_in(help_of(words)).size()) {
    EXPECT_THAT(help, HasSubstr("--help all"));
  }
}

void expect_short_help_of_all(const cli::CommandFacts& command) {
  expect_short_help({command.words.begin() + 1, command.words.end()});
  for (const cli::CommandFacts& below : command.commands) expect_short_help_of_all(below);
}

TEST(Help, FirstAtMost25OptionsAndThreeExamplesInLinesThatFit) {
  cli::Program program(cli::commands());
  expect_short_help_of_all(cli::describe_command(program.app()));
}

// The help of each option of a command and of those below it: "--bias Write the bias ...".
void expect_conditions_once(const cli::CommandFacts& command) {
  std::vector<std::string> words{command.words.begin() + 1, command.words.end()};
  words.insert(words.end(), {"--help", "all"});
  std::string said;  // of one option, in one line
  for (std::string line : lines_in(help_of(words))) {
    const bool begins = line.empty() || line.find_first_not_of(' ') < 30;
    said = begins ? line : said + line.substr(29);
    const std::size_t first = said.find("; only with");
    const std::size_t bracket = said.find(") (");
    EXPECT_TRUE(first == std::string::npos || said.find("; only with", first + 1) == std::string::npos) << said;
    EXPECT_TRUE(bracket == std::string::npos || said.substr(bracket).starts_with(") (required)")) << said;
  }
  for (const cli::CommandFacts& below : command.commands) expect_conditions_once(below);
}

TEST(Help, AConditionIsSaidOnce) {
  cli::Program program(cli::commands());
  expect_conditions_once(cli::describe_command(program.app()));
  std::string errors = help_of({"recon", "--help", "bias"});
  // In one line, without the spaces before its parts.
  std::replace(errors.begin(), errors.end(), '\n', ' ');
  errors.erase(std::unique(errors.begin(), errors.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
               errors.end());
  EXPECT_THAT(errors, HasSubstr("; only with cg-sense without --regularize"));
  EXPECT_THAT(errors, Not(HasSubstr("; only with cg-sense,")));
}

TEST(Help, TheMostUsedOptionsOfTheLongListsAreNamed) {
  const std::vector<std::string> options = options_in(help_of({"recon", "--help"}));
  const std::set<std::string> shown(options.begin(), options.end());
  EXPECT_EQ(shown.size(), 25U);  // a wrong name in the list would be left out
  for (const std::string option : {"-o,--output", "--lambda", "--regularize", "--iterations", "--field-map"}) {
    EXPECT_TRUE(shown.contains(option)) << option;
  }
}

TEST(Help, AllOptionsOrThoseAboutSomething) {
  EXPECT_THAT(help_of({"recon", "--help", "all"}), HasSubstr("--espirit-crop"));
  const std::string nlinv = help_of({"recon", "--help", "nlinv"});
  EXPECT_THAT(nlinv, HasSubstr("--nlinv-steps"));
  EXPECT_THAT(nlinv, HasSubstr("--save-sets"));  // of the group NLINV
  EXPECT_THAT(nlinv, Not(HasSubstr("--espirit-crop")));
  EXPECT_THAT(help_of({"recon", "--help", "coils"}), HasSubstr("--espirit-crop"));
  EXPECT_THAT(help_of({"recon", "--help", "--lambda"}), HasSubstr("discrepancy"));
}

TEST(Help, IsAlsoAWord) {
  EXPECT_EQ(help_of({"help"}), help_of({"--help"}));
  EXPECT_EQ(help_of({"help", "recon"}), help_of({"recon", "--help"}));
  EXPECT_EQ(help_of({"help", "self-test"}), help_of({"check", "--help"}));
  EXPECT_EQ(help_of({"help", "recon", "nlinv"}), help_of({"recon", "--help", "nlinv"}));
  EXPECT_EQ(help_of({"help", "traj", "radial", "all"}), help_of({"traj", "radial", "--help", "all"}));
}

// The words of a command as a shell takes them, up to a pipe or a redirection.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool is_quoted = false;
  for (const char letter : line + " ") {
    if (letter == '\'') {
      is_quoted = !is_quoted;
    } else if (letter != ' ' || is_quoted) {
      word += letter;
    } else if (word == "|" || word == "<" || word == ">" || word == ";") {
      return words;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

// The commands of the examples of this command and those below: "  whorl recon scan.h5 -o image.nii.gz   what it does".
void append_examples(const std::vector<cli::Command>& commands, std::vector<std::string>& examples) {
  for (const cli::Command& command : commands) {
    for (const std::string& line : lines_in(command.examples)) {
      if (line.starts_with("  whorl ")) examples.push_back(line.substr(2, line.find("  ", 2) - 2));
    }
    append_examples(command.subcommands, examples);
  }
}

// Where a command tells images from scans by the file, it has to be there.
TEST(Help, EveryExampleIsACommand) {
  const test::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Context ctx;
  Array<float> echoes(ctx, {2, 3, 4});
  fill(echoes, 0);
  write_array(ctx, "echoes.nii.gz", {"echoes", std::move(echoes), {}});
  std::vector<std::string> examples;
  append_examples(cli::commands(), examples);
  EXPECT_GT(examples.size(), 100U);
  for (const std::string& example : examples) {
    cli::Program program(cli::commands());
    std::vector<std::string> words = shell_words(example);
    words.erase(words.begin());
    try {
      program.parse(words);
    } catch (const std::exception& mistake) {
      ADD_FAILURE() << example << '\n' << mistake.what();
    }
  }
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace whorl
