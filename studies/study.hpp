// Study: an experiment of a paper that one command runs again, with tables and pictures of what comes out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "studies/results.hpp"
#include "whorl/core/context.hpp"

namespace whorl::studies {

/// Options as a study names them; whoever runs it reads them from its user into the value, which holds the default.
struct IntegerOption {
  std::string name;  ///< "--size"
  Index* value;
  Index lowest;
  Index highest;
  std::string help;
};
struct NumberOption {
  std::string name;
  double* value;
  double lowest;
  double highest;
  std::string help;
};
struct FlagOption {
  std::string name;
  bool* value;
  std::string help;
};
struct TextOption {
  std::string name;
  std::string* value;
  std::string help;
};
/// A file to read or to write; none where the value is empty.
struct FileOption {
  std::string name;
  std::filesystem::path* value;
  std::string help;
};
using StudyOption = std::variant<IntegerOption, NumberOption, FlagOption, TextOption, FileOption>;

/// One run of a study, with its options.
class Experiment {
 public:
  Experiment() = default;
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// The options; their values lie in this object.
  virtual std::vector<StudyOption> options() = 0;
  /// Runs it on the context's device. Throws ValueError (options out of range), Cancelled.
  virtual Results run(const Context& ctx) = 0;
};

struct Study {
  std::string name;     ///< that of the command: whorl study NAME
  std::string summary;  ///< one line
  std::string text;     ///< what the help ends with: what is done, where it is from
  std::unique_ptr<Experiment> (*make)();
};

/// All studies.
std::vector<Study> all_studies();

}  // namespace whorl::studies
