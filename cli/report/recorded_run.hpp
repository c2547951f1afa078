// A run as its record tells it: the command, its words and its files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::cli {

/// Words of a line that shell_line wrote, without the program's name. Throws ValueError (a quote that is not closed).
std::vector<std::string> words_of_line(const std::string& line);

class RecordedRun {
 public:
  /// Reads the record and its command. Throws IoError (no record), ValueError (a record without a command of this
  /// program: the message says why).
  explicit RecordedRun(std::filesystem::path record);

  const std::vector<std::string>& words() const { return words_; }
  /// The first word: "recon".
  const std::string& command() const { return words_.front(); }
  const CommandFiles& files() const { return program_->chosen_files(); }
  /// The result that the record lies beside.
  std::filesystem::path result() const;

 private:
  std::filesystem::path record_;
  std::vector<std::string> words_;
  std::unique_ptr<Program> program_;
};

/// How the command read its scan: the options of the command line that say so.
ScanReadOptions read_options_of(const RecordedRun& run);

}  // namespace whorl::cli
