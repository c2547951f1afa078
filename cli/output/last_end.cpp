#include "cli/output/last_end.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX, not in <csignal>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

// A line on standard error, without memory.
void say(std::initializer_list<const char*> parts) noexcept {
  for (const char* part : parts) static_cast<void>(::write(STDERR_FILENO, part, std::strlen(part)));
}

[[noreturn]] void end_by_exception() {
  remove_temporary_files();
  const char* const start = "whorl: error: ";
  try {
    if (const std::exception_ptr cause = std::current_exception()) std::rethrow_exception(cause);
    say({start, "the program ended in the middle of its work\n"});
  } catch (const std::bad_alloc&) {
    say({start, "out of memory; use a smaller scan or image, or a machine with more memory\n"});
  } catch (const std::exception& error) {
    say({start, error.what(), "\n"});
  } catch (...) {
    say({start, "an unknown exception\n"});
  }
  ::_exit(EXIT_FAILURE);
}

// What ended the process does so again when the handler returns, or where it was raised.
extern "C" void whorl_end_by_fault(int number) {
  remove_temporary_files();
  say({"whorl: error: the program crashed (", ::sigabbrev_np(number) == nullptr ? "?" : ::sigabbrev_np(number),
       "); it may have run out of memory or stack, or this is a fault of whorl\n"});
  ::raise(number);
}

void watch_faults() {
  static std::array<std::byte, std::size_t{1} << 16U> stack;  // one's own may be what ran out
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&other, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction old {};
    ::sigaction(number, nullptr, &old);
    if (old.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = whorl_end_by_fault;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

void leave_no_temporary_files() {
  std::set_terminate(end_by_exception);
  std::atexit([] { remove_temporary_files(); });
  watch_faults();
}

}  // namespace whorl::cli
