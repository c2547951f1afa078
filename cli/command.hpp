// A command of the program: one file each, and one line in the list in commands.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/comm/communicator.hpp"
#include "whorl/core/context.hpp"

namespace whorl::cli {

/// Exit code of a command that did its work and found faults (whorl doctor).
inline constexpr int exit_findings = 3;

/// What a command runs with.
class Session {
 public:
  Session(Context host, std::string words, bool is_quiet, const CommandFiles& inputs_and_outputs,
          std::function<Context(const Context&)> make, std::function<void()> keep = {},
          std::shared_ptr<Communicator> together = alone(),
          std::function<std::vector<Context>(const Context&)> make_all = {})
      : ctx(std::move(host)),
        command_line(std::move(words)),
        quiet(is_quiet),
        files(inputs_and_outputs),
        ranks(std::move(together)),
        make_device_(std::move(make)),
        make_devices_(std::move(make_all)),
        keep_results_(std::move(keep)) {}

  Context ctx;                          ///< of the host: files, pictures, tables
  std::string command_line;             ///< as the user gave it, for the record of the run
  bool quiet = false;                   ///< print nothing that was not asked for by name
  const CommandFiles& files;            ///< already checked
  std::shared_ptr<Communicator> ranks;  ///< the processes that share the work; most often one

  /// Whether this process writes and prints: the first of those that share the work.
  bool writes() const { return ranks->rank() == 0; }

  /// The context for the work itself, `ctx` or that of the GPU which the user asked for. It costs time to start a GPU:
  /// commands that have no work for it do not call this. Throws DeviceError.
  const Context& device() const {
    if (!device_) device_ = make_device_(ctx);
    return *device_;
  }
  /// The contexts of all devices that the user asked for: the one above, or several GPUs (--device cuda:all).
  const std::vector<Context>& devices() const {
    if (devices_.empty()) {
      devices_ = make_devices_ ? make_devices_(ctx) : std::vector<Context>();
      if (devices_.empty()) devices_.push_back(device());
      device_ = devices_.front();
    }
    return devices_;
  }
  /// The program ends with this exit code once the command's files have their names; 0 unless a command says otherwise.
  void end_with(int code) const { exit_code_ = code; }
  int exit_code() const { return exit_code_; }

  /// Gives the results so far their names, whatever comes later.
  void keep_results() const {
    if (keep_results_) keep_results_();
  }
  /// The context that did the work, for the record of the run.
  const Context& working() const { return device_ ? *device_ : ctx; }

 private:
  std::function<Context(const Context&)> make_device_;
  std::function<std::vector<Context>(const Context&)> make_devices_;
  mutable std::optional<Context> device_;
  mutable std::vector<Context> devices_;
  mutable int exit_code_ = 0;
  std::function<void()> keep_results_;
};

/// Does the work. Failures are exceptions; results go to files and to standard output.
using Run = std::function<void(const Session&)>;

struct Command {
  std::string name;
  std::string summary;                 ///< one line, for the list of commands
  std::string examples;                ///< what the help of the command ends with
  std::function<Run(App&)> define;     ///< adds the command's options, and returns what runs after they are parsed
  std::vector<Command> subcommands{};  ///< instead of define: one of these must be named (whorl nufft forward)
  bool has_gpu_work = true;            ///< else a GPU is refused as its --device
  bool has_rank_work = false;          ///< several processes, started by mpirun, share its work
  std::vector<std::string>
      common_options{};  ///< what its help shows first; empty: all, without the last groups if many
  std::string alias{};   ///< another name that it answers to
};

/// The command, and those below it, as one that works on the CPU alone.
Command on_cpu_alone(Command command);

/// The command as one whose work several processes can share.
Command for_ranks(Command command);

/// All commands, in the order of the help.
std::vector<Command> commands();

Command bench_command();
Command check_command();
Command coils_command();
Command compare_command();
Command completion_command();
Command convert_command();
Command density_command();
Command dft_command();
Command doctor_command();
Command fieldmap_command();
Command filter_command();
Command info_command();
Command nufft_command();
Command man_command();
Command map_command();
Command phantom_command();
Command plan_command();
Command recon_command();
Command replay_command();
Command report_command();
Command rerun_command();
Command roi_command();
Command serve_command();
Command stack_command();
Command stream_command();
Command study_command();
Command traj_command();
Command view_command();

}  // namespace whorl::cli
