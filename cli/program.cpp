// What the program does: reads the command line, runs one command, and turns failures into one line and an exit code.
#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "cli/app.hpp"
#include "cli/output/signals.hpp"
#include "cli/output/waiting.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

int fail(std::string message, int code) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fputs(fmt::format("whorl: error: {}\n", message).c_str(), stderr);
  return code;
}

// Quotes an argument where a shell would take it apart, so that the record of a run can be pasted.
std::string quoted(const std::string& argument) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char letter : argument) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string command_line(int argc, char** argv) {
  std::string text = "whorl";
  for (int i = 1; i < argc; ++i) text += " " + quoted(argv[i]);
  return text;
}

// What was printed must have arrived: a full disk or a closed pipe is a failure.
void finish_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw IoError(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
  }
}

int print_and_exit(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  finish_standard_output();
  return exit_ok;
}

std::string mistake(const Program& program, const CLI::ParseError& error) {
  const auto [app, words] = program.chosen();
  // CLI11 says "a subcommand is required" of a word that is none.
  const auto unknown = app->remaining();
  if (app->get_require_subcommand_min() > 0 && !unknown.empty()) {
    return fmt::format("'{}' is neither a command nor an option of {}; see {} --help", unknown.front(), words, words);
  }
  return fmt::format("{}; see {} --help", error.what(), words);
}

int run_chosen(const Program& program, const std::string& words) {
  const CommonOptions& common = program.common();
  const Context host = make_context(common);
  const CancelOnSignal cancel(host);
  AtomicFileGroup results;
  const auto keep_results = [&] {
    host.check_cancel("writing files");
    const HoldSignals names;
    results.commit();
  };
  const Session session(
      host, words, common.quiet, program.chosen_files(),
      [&common](const Context& of_files) { return make_device_context(common, of_files); }, keep_results);
  session.files.check();
  program.chosen_run()(session);
  keep_results();
  finish_standard_output();
  return session.exit_code();
}

int run(int argc, char** argv) {
  Program program(commands());
  try {
    program.parse(argc, argv);
    let_waiting_threads_sleep(argv);
    return run_chosen(program, command_line(argc, argv));
  } catch (const CLI::CallForHelp&) {
    return print_and_exit(program.app().help());
  } catch (const CLI::CallForVersion& call) {
    return print_and_exit(std::string(call.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return fail(mistake(program, error), exit_usage);
  }
}

}  // namespace
}  // namespace whorl::cli

int whorl_program(int argc, char** argv) {
  using namespace whorl::cli;
  turn_write_signals_into_errors();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; use a smaller scan or image, or a machine with more memory", exit_failed);
  } catch (const std::exception& error) {
    return fail(error.what(), exit_failed);
  }
}
