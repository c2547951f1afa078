// A program that writes a file until it is told to stop, as a command of whorl does.
//   cancel_probe FILE        stops when asked
//   cancel_probe FILE deaf   does not look whether it is asked, and has time
//   cancel_probe FILE slow   does not look either, and has none
//   cancel_probe FILE group  the same, with the file complete and in a group
//   cancel_probe FILE hold   gives the file its name after a second signal, which must not end it
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigsuspend is POSIX, not in <csignal>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "cli/output/signals.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace {

void say(const char* word) {
  std::puts(word);
  std::fflush(stdout);
}

void wait_for_request(const whorl::Context& ctx) {
  while (!ctx.cancel_requested()) ::usleep(1000);
}

// Says "asked", and waits for one more signal, also for one that comes at once.
void wait_for_the_second() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  say("asked");
  ::sigsuspend(&before);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string_view how = argc > 2 ? argv[2] : "";
  const whorl::Context ctx;
  constexpr unsigned long_enough = 3600;  // for the second signal, on a machine of any speed
  const whorl::cli::CancelOnSignal cancel(ctx, how == "slow" ? 1 : long_enough);
  try {
    whorl::AtomicFileGroup group;
    whorl::AtomicFile file(argv[1]);
    file.write("half", 4);
    if (how == "group" || how == "hold") file.commit();
    if (how == "hold") {
      const whorl::cli::HoldSignals names;
      say("ready");
      wait_for_request(ctx);
      wait_for_the_second();
      group.commit();
      return 0;
    }
    say("ready");
    wait_for_request(ctx);
    if (!how.empty()) {
      for (;;) wait_for_the_second();
    }
    ctx.check_cancel("probing");
  } catch (const whorl::Cancelled& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
