#include "cli/options/common_options.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/options/byte_size.hpp"
#include "cli/options/option_of.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/terminal.hpp"
#include "whorl/comm/world.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

constexpr const char* group = "Common options";
constexpr const char* all_gpus = "cuda:all";

// A word that names no device at all is a mistake in the command; a device that is not there is found when it is used.
std::string check_device(const std::string& text) {
  try {
    parse_device(text);
  } catch (const ValueError& error) {
    return error.what();
  } catch (const DeviceError&) {
    return {};
  }
  return {};
}

std::string check_cpu(const std::string& text) {
  std::string complaint = check_device(text);
  if (!complaint.empty() || text == "auto" || text.starts_with("cpu")) return complaint;
  return "'" + text + "': this command has no work for a GPU; expected cpu or auto";
}

ProgressBar::Options progress_options(bool verbose) {
  ProgressBar::Options options;
  options.verbose = verbose;
  const char* kind = std::getenv("TERM");
  options.terminal = ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
  const int columns = terminal_size(STDERR_FILENO).columns;
  if (columns > 0) options.width = columns;
  return options;
}

const OptionTable<CommonOptions>& thread_table() {
  static const OptionTable<CommonOptions> table = OptionTable<CommonOptions>("common options")
                                                      .group(group)
                                                      .integer("threads", &CommonOptions::threads, {0, 4096}, "",
                                                               "Number of threads; 0: as many as the machine offers");
  return table;
}

}  // namespace

void add_common_options(App& app, CommonOptions& options, bool has_gpu_work, bool takes_all) {
  Option* quiet = app.add_flag("-q,--quiet", options.quiet, "Say nothing but errors")->group(group);
  app.add_flag("-v,--verbose", options.verbose, "Show the progress of inner stages too")->excludes(quiet)->group(group);
  add_options(app, options, thread_table());
  app.add_word("--device", options.device,
               takes_all ? "Where to compute: cpu, cuda (or cuda:INDEX), auto: a GPU where there is one, or cuda:all: "
                           "all GPUs of the "
                           "machine, for frames, then for the coils of each"
               : has_gpu_work ? "Where to compute: cpu, cuda (or cuda:INDEX), or auto: a GPU where there is one"
                              : "Where to compute: cpu; auto is the same, since this command has no work for a GPU")
      ->check(Check([=](const std::string& text) {
        if (takes_all && text == all_gpus) return std::string();
        return has_gpu_work ? check_device(text) : check_cpu(text);
      }))
      ->check(takes_all      ? offer({"auto", "cpu", "cuda", all_gpus})
              : has_gpu_work ? offer({"auto", "cpu", "cuda"})
                             : offer({"auto", "cpu"}))
      ->capture_default_str()
      ->group(group);
  add_text_option(app, "--max-memory", options.max_memory, byte_size,
                  "Most memory for arrays on that device, such as 8GB; 0: what it has (default)")
      ->type_name("SIZE")
      ->group(group);
}

namespace {

int count_gpus() {
  for (int count = 0;; ++count) {
    try {
      require_device({DeviceKind::cuda, count});
    } catch (const DeviceError&) {
      return count;
    }
  }
}

// The processes of a machine take its GPUs in turn, unless the option names one.
Device device_of_rank(const std::string& text, int local_rank) {
  if (text == all_gpus) return parse_device("cuda");
  const Device device = parse_device(text);
  const bool names_one = text.find(':') != std::string::npos;
  if (local_rank == 0 || device.kind == DeviceKind::cpu || names_one) return device;
  return {DeviceKind::cuda, local_rank % count_gpus()};
}

}  // namespace

Context make_context(const CommonOptions& options) {
  Context::Options wanted;
  // Refused before any work, but not started: that takes a GPU a while.
  const Device device =
      options.device == "auto" || options.device == all_gpus ? Device{} : parse_device(options.device);
  if (device.kind == DeviceKind::cpu) wanted.max_memory = options.max_memory;
  wanted.threads = options.threads;
  if (!options.quiet) wanted.progress = std::make_shared<ProgressBar>(std::cerr, progress_options(options.verbose));
  return Context(std::move(wanted));
}

Context make_device_context(const CommonOptions& options, const Context& host) {
  const Device device = device_of_rank(options.device, options.local_rank);
  return device.kind == DeviceKind::cpu ? host : host.on(device, options.max_memory);
}

std::vector<Context> make_device_contexts(const CommonOptions& options, const Context& host) {
  if (options.device != all_gpus) return {};
  const int count = count_gpus();
  if (count == 0) require_device(parse_device("cuda"));
  std::vector<Context> contexts;
  for (int index = 0; index < count; ++index)
    contexts.push_back(host.on({DeviceKind::cuda, index}, options.max_memory));
  return contexts;
}

CommonOptions options_of_rank(CommonOptions options, Communicator& ranks) {
  if (ranks.size() == 1) return options;
  const LocalRanks here = local_ranks(ranks);
  options.quiet = options.quiet || ranks.rank() > 0;
  if (options.threads == 0) options.threads = here.threads;
  options.local_rank = here.rank;
  return options;
}

}  // namespace whorl::cli
