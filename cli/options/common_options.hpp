// Options that every command has.
#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "whorl/comm/communicator.hpp"
#include "whorl/core/context.hpp"

namespace whorl::cli {

struct CommonOptions {
  bool quiet = false;
  bool verbose = false;
  int threads = 0;
  std::string device = "auto";
  std::size_t max_memory = 0;  ///< bytes on the device; 0: what it has
  int local_rank = 0;          ///< of this process among those that share the work on this machine
};

/// `has_gpu_work`: of the command, which else takes no GPU. `takes_all`: it can use several GPUs.
void add_common_options(App& app, CommonOptions& options, bool has_gpu_work, bool takes_all);

/// The context of the host that the options ask for; progress goes to standard error. Throws DeviceError where the
/// device that they name is not there.
Context make_context(const CommonOptions& options);

/// The context of the device that they ask for, with the host's progress and cancel flag. Throws DeviceError.
Context make_device_context(const CommonOptions& options, const Context& host);

/// The contexts of all GPUs of the machine, where the options ask for these (cuda:all); otherwise none. Throws DeviceError.
std::vector<Context> make_device_contexts(const CommonOptions& options, const Context& host);

/// The options of one of several processes: the first alone speaks, all together use each core of a machine once, and each takes
/// a GPU of its own as long as there are some. Collective.
CommonOptions options_of_rank(CommonOptions options, Communicator& ranks);

}  // namespace whorl::cli
