// The files of a command: one list of what it reads and writes. Options add themselves (App::add_input, add_output), and
// the program checks the list before the command's work.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace whorl::cli {

/// What an option's name of an output stands for.
struct OutputKind {
  /// Returns a complaint about the name, whose ending gives the format; empty: none. No function: any name will do.
  std::function<std::string(const std::string& name)> check_name{};
  /// Returns all files that may be written for the name. No function: the file of that name alone.
  std::function<std::vector<std::filesystem::path>(const std::filesystem::path& name)> files{};
  bool has_record = false;  ///< the record of the run lies beside it; of several outputs beside the first that is given
  bool may_print = false;   ///< "-" is standard output
  bool is_folder = false;
  bool makes_folder = false;             ///< where there is none
  std::vector<std::string> in_folder{};  ///< how the names of the files in the folder end
};

/// An option that takes names of files.
struct FileOption {
  std::string name;  ///< "--output", "scan"
  bool is_output = false;
  OutputKind kind{};                                ///< of an output
  std::function<std::vector<std::string>()> names;  ///< that were given
};

/// The name that a file has without links; a link whose end is missing is where a writer would make it.
std::filesystem::path real_path(std::filesystem::path path);

class CommandFiles {
 public:
  using Names = std::function<std::vector<std::string>()>;

  /// `names` is called after the command line was read, and returns each FILE or FILE:NAME; empty ones were not given.
  void add_input(std::string option, Names names);
  void add_output(std::string option, OutputKind kind, Names names);

  std::span<const FileOption> options() const { return options_; }

  /// For the record of the run. Every file that is read, with those that belong to it (the .hdr of a .cfl), each once.
  std::vector<std::filesystem::path> to_read() const;
  /// The outputs by the names that were given, but for standard output.
  std::vector<std::string> to_write() const;

  /// Before the work: no output is an input or another output, also through links and by the files that lie beside
  /// them, such as the record of the run; every folder is there and can be written; a record replaces no other file.
  /// A mistake in the command line ends its reading (refuse_option).
  /// Throws  IoError (what can not be written), ValueError (another file in the place of the record)
  /// `writes`: this process also writes the outputs; else it reads the inputs alone.
  void check(bool writes = true) const;

  /// What is known later of an output: the files that are written for the name. Throws ValueError where one of them
  /// is an input or another output.
  void check_written(const std::string& name, std::span<const std::filesystem::path> files) const;

 private:
  std::vector<FileOption> options_;
};

}  // namespace whorl::cli
