// Study: an experiment of a paper that one command runs again, with tables and pictures of what comes out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studies/results.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/option_table.hpp"

namespace whorl::studies {

/// Options and the struct that they are bound to, whose values are the defaults.
struct BoundOptions {
  void* values;
  const OptionSet* table;
};

/// One run of a study, with its options.
class Experiment {
 public:
  Experiment() = default;
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// The options; their values lie in this object.
  virtual BoundOptions options() = 0;
  /// Runs it on the context's device. Throws ValueError (options out of range), Cancelled.
  virtual Results run(const Context& ctx) = 0;
  /// Runs one step of a ladder alone: a table of one row, or two for a time and a quality. `ladder` is the name of its table, empty
  /// where the study has one ladder. Throws ValueError (no such step), and as run.
  virtual Results run_step(const Context& ctx, const std::string& ladder, const std::string& step);
};

struct Study {
  std::string name;     ///< that of the command: whorl study NAME
  std::string summary;  ///< one line
  std::string text;     ///< what the help ends with: what is done, where it is from
  std::unique_ptr<Experiment> (*make)();
};

/// All studies.
std::vector<Study> all_studies();

/// The experiment of a study with its kernels for a kind of device, and with these options. Throws Unsupported where the
/// kernels can not be loaded.
std::unique_ptr<Experiment> for_device(DeviceKind kind, const std::string& name, const BoundOptions& options);

}  // namespace whorl::studies
