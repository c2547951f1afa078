// Every command's list of what it reads and writes: a new option can not be left out of it, and each pair of names that
// are one file is refused.
#include "cli/options/command_files.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "cli/app.hpp"
#include "cli/options/option_values.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"

namespace whorl::cli {
namespace {

namespace fs = std::filesystem;

std::string name_of(const App& command) {
  std::string name = command.native().get_name();
  for (const CLI::App* above = command.native().get_parent(); above != nullptr; above = above->get_parent()) {
    name = above->get_name() + " " + name;
  }
  return name;
}

std::set<std::string> listed(const App& command) {
  std::set<std::string> names;
  for (const FileOption& option : command.files().options()) names.insert(option.name);
  return names;
}

std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
}

TEST(CommandFiles, EveryOptionThatTakesAFileIsListed) {
  const Program program(commands());
  std::size_t files = 0;
  for (const App& command : program.commands()) {
    const std::set<std::string> names = listed(command);
    for (const CLI::Option* option : command.native().get_options()) {
      const std::string type = option->get_type_name();
      if (!type.starts_with(file_type) && !type.starts_with(folder_type)) continue;
      ++files;
      EXPECT_TRUE(names.count(name_of(*option)) == 1) << name_of(command) << " " << name_of(*option);
    }
  }
  EXPECT_GT(files, 60U);
}

// An option that takes any text is not one to be written: its help does not speak of files.
TEST(CommandFiles, NoWordIsAFile) {
  const std::regex speaks_of_files(
      "\\b([Ww]rite|[Ss]ave|[Dd]raw|[Ff]older|File|Picture|Image|Scan)\\b|\\.(png|npz|npy|csv|json)\\b");
  const Program program(commands());
  std::size_t words = 0;
  for (const App& command : program.commands()) {
    const std::set<std::string> names = listed(command);
    for (CLI::Option* option : command.native().get_options()) {
      const std::string type = option->get_type_name();
      if (!type.starts_with("TEXT") || !offered_values(*option).empty() || names.count(name_of(*option)) == 1) continue;
      ++words;
      // The format to write.
      if (name_of(*option) == "--to") continue;
      EXPECT_FALSE(std::regex_search(option->get_description(), speaks_of_files))
          << name_of(command) << " " << name_of(*option) << ": " << option->get_description();
    }
  }
  EXPECT_GT(words, 5U);
}

TEST(CommandFiles, EveryCommandThatKeepsARecordHasOneOutputForIt) {
  const Program program(commands());
  std::set<std::string> with_record;
  for (const App& command : program.commands()) {
    for (const FileOption& option : command.files().options()) {
      if (option.is_output && option.kind.has_record) with_record.insert(name_of(command));
    }
  }
  for (const std::string name :
       {"whorl recon", "whorl convert", "whorl phantom", "whorl traj radial", "whorl density", "whorl coils estimate",
        "whorl coils compress", "whorl nufft inverse", "whorl dft forward"}) {
    EXPECT_EQ(with_record.count(name), 1U) << name;
  }
}

// Gives an option a file, as a command line would.
void give(const App& command, const FileOption& option, const std::string& file) {
  CLI::Option* native = command.native().get_option(option.name);
  const std::string type = native->get_type_name();
  const bool is_file = type.find(file_type) != std::string::npos || type.starts_with(folder_type);
  native->clear();
  native->add_result(is_file ? file : "custom file=" + file);  // pipelines of filters
  native->run_callback();
}

// A name that the output may have.
std::string name_for(const FileOption& option, const std::string& stem) {
  if (!option.is_output) return stem + ".npy";
  for (const std::string ending : {".npy", ".h5", ".png", ".npz", ".csv", ".seq", ".html"}) {
    if (!option.kind.check_name || option.kind.check_name(stem + ending).empty()) return stem + ending;
  }
  ADD_FAILURE() << option.name << " takes none of the usual endings";
  return stem;
}

class EveryPair : public testing::Test {
 protected:
  // What the list says of an output and another file that are one. The names may need different endings: one is a
  // link to the other then.
  void expect_refusal(std::size_t command_index, const std::string& output_name, const std::string& other_name) {
    const test::TemporaryFolder folder;
    const Program program(commands());
    const App& command = program.commands().at(command_index);
    const auto find = [&](const std::string& name) -> const FileOption& {
      const auto options = command.files().options();
      return *std::find_if(options.begin(), options.end(),
                           [&](const FileOption& option) { return option.name == name; });
    };
    const FileOption& output = find(output_name);
    const FileOption& other = find(other_name);
    const std::string file = name_for(output, folder / "file");
    const std::string again = name_for(other, folder / "file");
    test::write_file(file, "1,2,1\n");  // a kernel: pipelines of filters are read with the words
    if (again != file) fs::create_symlink(file, again);
    give(command, output, file);
    give(command, other, again);
    const std::string what = name_of(command) + ": " + output_name + " and " + other_name;
    try {
      command.files().check();
      ADD_FAILURE() << what;
    } catch (const CLI::ValidationError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.find("another name") != std::string::npos || text.find("of its own") != std::string::npos)
          << what << ": " << text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
  }
};

TEST_F(EveryPair, OfAnOutputAndAnotherFileOfTheCommandIsRefused) {
  const Program program(commands());
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < program.commands().size(); ++i) {
    for (const FileOption& output : program.commands()[i].files().options()) {
      if (!output.is_output) continue;
      for (const FileOption& other : program.commands()[i].files().options()) {
        if (&other == &output) continue;
        ++pairs;
        expect_refusal(i, output.name, other.name);
      }
    }
  }
  EXPECT_GT(pairs, 150U);
}

}  // namespace
}  // namespace whorl::cli
