// What the program does: reads the command line, runs one command, and turns failures into one line and an exit code.
#include "cli/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <system_error>

#include "cli/app.hpp"
#include "cli/help/mistake.hpp"
#include "cli/output/last_end.hpp"
#include "cli/output/print.hpp"
#include "cli/output/shell_words.hpp"
#include "cli/output/signals.hpp"
#include "cli/output/terminal.hpp"
#include "cli/output/waiting.hpp"
#include "core/startable_threads.hpp"
#include "io/hdf5/at_exit.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/comm/world.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

// Which loop heard of the request first is of no use to anybody.
constexpr const char* stopped = "stopped on request";

int fail(std::string message, int code) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  print_error(fmt::format("whorl: error: {}\n", message));
  return code;
}

// What was printed must have arrived: a full disk is a failure. A reader that has seen enough (head) is none.
void finish_standard_output() {
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  const int reason = errno;
  if (arrived || reader_is_gone()) return;
  throw IoError(fmt::format("cannot write to standard output: {}", std::generic_category().message(reason)));
}

// An end before the work: the exit code, and what is said.
struct Ending {
  int code = exit_ok;
  std::string text;
};

// Reads the command line, and looks at the files that it names.
std::optional<Ending> prepare(Program& program, const std::vector<std::string>& words, const Communicator& ranks) {
  try {
    if (const auto page = program.help_asked_for(words, terminal_size(STDOUT_FILENO).columns))
      return Ending{exit_ok, *page};
    program.parse(words);
    if (ranks.size() > 1 && !program.chosen_has_rank_work()) {
      return Ending{exit_usage,
                    fmt::format("{} is the work of one process, and {} were started; start one, without mpirun",
                                program.chosen().words, ranks.size())};
    }
    program.chosen_files().check(ranks.rank() == 0);
  } catch (const CLI::CallForVersion& call) {
    return Ending{exit_ok, std::string(call.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return Ending{exit_usage, describe_mistake(program, error, words)};
  } catch (const std::exception& error) {
    if (ranks.size() == 1) throw;
    return Ending{exit_failed, error.what()};
  }
  return std::nullopt;
}

// If the work of a rank has ended, that of all has, and the first of them says why.
std::optional<int> ended(Communicator& ranks, const std::optional<Ending>& own) {
  const std::int32_t mine = own ? own->code : -1;
  std::array<int, 2> first{-1, 0};  // the rank that speaks, and the exit code
  const auto all = ranks.gather(std::as_bytes(std::span(&mine, 1)), 0);
  for (std::size_t rank = 0; rank < all.size() && first[0] < 0; ++rank) {
    std::int32_t code = -1;
    std::memcpy(&code, all[rank].data(), sizeof(code));
    if (code >= 0) first = {static_cast<int>(rank), code};
  }
  ranks.broadcast(std::as_writable_bytes(std::span(first)), 0);
  if (first[0] < 0) return std::nullopt;
  if (ranks.rank() != first[0] || !own) return first[1];
  if (own->code != exit_ok) return fail(own->text, own->code);
  print(own->text);
  finish_standard_output();
  return exit_ok;
}

// Ends the process without destructors, once all files have their names. The system takes back the memory of host and GPU
// as a whole, which is faster than block by block. No thread of the program works any more.
[[noreturn]] void end_at_once(int code) {
  std::fflush(stderr);
  std::_Exit(code);
}

void say_fewer_threads(const CommonOptions& common, const Context& host) {
  const int wanted = common.threads > 0 ? common.threads : detail::processors();
  if (host.threads() >= wanted) return;
  std::fputs(
      fmt::format("whorl: {} of {} threads can be started (limits of memory or processes); the work takes these\n",
                  host.threads(), wanted)
          .c_str(),
      stderr);
}

int run_chosen(const Program& program, const std::string& words, const std::shared_ptr<Communicator>& ranks) {
  const CommonOptions common = options_of_rank(program.common(), *ranks);
  const Context host = make_context(common);
  if (!common.quiet) say_fewer_threads(common, host);
  const CancelOnSignal cancel(host, 1, ranks->rank() == 0);
  AtomicFileGroup results;
  const auto keep_results = [&] {
    host.check_cancel("writing files");
    const HoldSignals names;
    results.commit();
  };
  const Session session(
      host, words, common.quiet, program.chosen_files(),
      [&common](const Context& of_files) { return make_device_context(common, of_files); }, keep_results, ranks,
      [&common](const Context& of_files) { return make_device_contexts(common, of_files); });
  agree(*ranks, [&] {
    program.chosen_run()(session);
    keep_results();
    finish_standard_output();
  });
  if (ranks->size() == 1 && session.working().device().kind != DeviceKind::cpu) end_at_once(session.exit_code());
  return session.exit_code();
}

// The other ranks do not know of it, and may wait for this one.
int give_up(Communicator& ranks, const std::string& message) {
  fail(fmt::format("rank {}: {}", ranks.rank(), message), exit_failed);
  ranks.abort(exit_failed);
  return exit_failed;
}

int run(int argc, char** argv) {
  // MPI does not outlive another start of the program.
  const bool launched = launched_processes() > 1;
  if (launched) let_waiting_threads_sleep(argv);
  const std::shared_ptr<Communicator> ranks = world();
  Program program(commands());
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::optional<Ending> ending = prepare(program, words, *ranks);
  if (const auto code = ended(*ranks, ending)) return *code;
  if (!launched) let_waiting_threads_sleep(argv);
  try {
    return run_chosen(program, shell_line(words), ranks);
  } catch (const CLI::ParseError& error) {
    return fail(describe_mistake(program, error, words), exit_usage);
  } catch (const RanksFailed& error) {
    return ranks->rank() == 0 ? fail(error.what(), exit_failed) : exit_failed;
  } catch (const Cancelled&) {
    if (ranks->size() == 1) throw;
    return give_up(*ranks, stopped);
  } catch (const Error& error) {
    const std::string message = with_typed_options(program, error.what());
    return ranks->size() == 1 ? fail(message, exit_failed) : give_up(*ranks, message);
  } catch (const std::exception& error) {
    if (ranks->size() == 1) throw;
    return give_up(*ranks, error.what());
  }
}

}  // namespace
}  // namespace whorl::cli

int whorl_program(int argc, char** argv) {
  using namespace whorl::cli;
  turn_write_signals_into_errors();
  leave_no_temporary_files();
  whorl::io::skip_hdf5_cleanup_at_exit();
  try {
    return run(argc, argv);
  } catch (const whorl::Cancelled&) {
    return fail(stopped, exit_failed);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; use a smaller scan or image, or a machine with more memory", exit_failed);
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return fail(no_thread
                    ? "a thread cannot be started: limits of memory or of processes (ulimit -v, ulimit -u) are too low"
                    : error.what(),
                exit_failed);
  } catch (const std::exception& error) {
    return fail(error.what(), exit_failed);
  }
}
