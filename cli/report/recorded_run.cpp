#include "cli/report/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/scan_options.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

namespace fs = std::filesystem;

std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '\'') {
      is_quoted = !is_quoted;
      is_word = true;
    } else if (letter == ' ' && !is_quoted) {
      if (is_word) words.push_back(word);
      word.clear();
      is_word = false;
    } else {
      if (letter == '\\' && !is_quoted && i + 1 < line.size()) ++i;
      word += line[i];
      is_word = true;
    }
  }
  if (is_quoted) throw ValueError(fmt::format("a quote is not closed in '{}'", line));
  if (is_word) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());  // the program
  return words;
}

RecordedRun::RecordedRun(fs::path record) : record_(std::move(record)) {
  words_ = words_of_line(command_line_of(record_));
  if (words_.empty()) {
    throw ValueError(
        fmt::format("'{}': the record has no command; the run was not one of this program", record_.string()));
  }
  program_ = std::make_unique<Program>(commands());
  try {
    program_->parse(words_);
  } catch (const CLI::Error& error) {
    throw ValueError(
        fmt::format("'{}': this whorl does not take the recorded command: {}", record_.string(), error.what()));
  }
}

fs::path RecordedRun::result() const {
  fs::path result = record_;
  return result.replace_extension();
}

ScanReadOptions read_options_of(const RecordedRun& run) {
  ScanReadOptions read;
  CLI::App native;
  App options(native);
  std::string scan;
  add_scan_options(options, read, [&scan] { return scan; });
  native.allow_extras();
  std::vector<std::string> words(run.words().begin() + 1, run.words().end());
  words = options.join_lists(words);
  std::reverse(words.begin(), words.end());
  native.parse(std::move(words));
  return read;
}

}  // namespace whorl::cli
