// A program that writes a file until it is told to stop, as a command of whorl does.
//   cancel_probe FILE        stops when asked
//   cancel_probe FILE deaf   does not look whether it is asked
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "cli/output/signals.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const bool deaf = argc > 2 && std::string_view(argv[2]) == "deaf";
  const whorl::Context ctx;
  const whorl::cli::CancelOnSignal cancel(ctx);
  try {
    whorl::AtomicFile file(argv[1]);
    file.write("half", 4);
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
      if (deaf && ctx.cancel_requested()) {
        std::puts("asked");
        std::fflush(stdout);
        for (;;) ::pause();
      }
      if (!deaf) ctx.check_cancel("probing");
      ::usleep(1000);
    }
  } catch (const whorl::Cancelled& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
