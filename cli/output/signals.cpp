#include "cli/output/signals.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX, not in <csignal>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string_view>

#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

// A signal handler can reach nothing but objects of static life.
std::atomic<const Context*> context_to_stop{nullptr};
std::atomic<int> signals_seen{0};
std::atomic<bool> signals_held{false};
std::atomic<unsigned> seconds_to_stop{0};
std::atomic<bool> bar_on_terminal{false};
std::atomic<bool> is_silent{false};
static_assert(std::atomic<const Context*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr std::array stop_signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU};

extern "C" void whorl_stop_on_signal(int number) {
  if (signals_seen.fetch_add(1) > 0 && !signals_held) {
    remove_temporary_files();
    ::_exit(128 + number);
  }
  if (const Context* ctx = context_to_stop.load(); ctx != nullptr) ctx->request_cancel();
  ::alarm(seconds_to_stop);
}

// Work that was asked to stop has not. It holds nothing that outlives the process but its temporary files.
extern "C" void whorl_end_on_alarm(int /*number*/) {
  if (signals_held) {
    ::alarm(1);
    return;
  }
  remove_temporary_files();
  constexpr std::string_view message = "\nwhorl: error: stopped on request\n";
  const std::string_view text = bar_on_terminal ? message : message.substr(1);  // below a line of progress
  if (!is_silent) static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(1);
}

void set_handler(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  // Libraries that read and write do not expect an interrupted call.
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void turn_write_signals_into_errors() {
  set_handler(SIGPIPE, SIG_IGN);
  set_handler(SIGXFSZ, SIG_IGN);
}

CancelOnSignal::CancelOnSignal(const Context& ctx, unsigned grace_seconds, bool speaks) {
  context_to_stop = &ctx;
  signals_seen = 0;
  seconds_to_stop = grace_seconds;
  is_silent = !speaks;
  bar_on_terminal = ::isatty(STDERR_FILENO) == 1;
  set_handler(SIGALRM, whorl_end_on_alarm);
  for (const int number : stop_signals) {
    struct sigaction old {};
    ::sigaction(number, nullptr, &old);
    if (old.sa_handler != SIG_IGN) set_handler(number, whorl_stop_on_signal);
  }
}

CancelOnSignal::~CancelOnSignal() {
  ::alarm(0);
  set_handler(SIGALRM, SIG_DFL);
  for (const int number : stop_signals) {
    struct sigaction old {};
    ::sigaction(number, nullptr, &old);
    if (old.sa_handler == whorl_stop_on_signal) set_handler(number, SIG_DFL);
  }
  context_to_stop = nullptr;
}

HoldSignals::HoldSignals() { signals_held = true; }

HoldSignals::~HoldSignals() { signals_held = false; }

}  // namespace whorl::cli
