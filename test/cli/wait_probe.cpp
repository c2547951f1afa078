// A program that starts as whorl does, and says how it was called and what the programs that it starts will see.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "cli/output/waiting.hpp"

int main(int argc, char** argv) {
  whorl::cli::let_waiting_threads_sleep(argv);
  for (int i = 0; i < argc; ++i) std::printf("%s\n", argv[i]);
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "WHORL_SPINS_SET_BY"}) {
    const char* value = std::getenv(name);
    std::printf("%s=%s\n", name, value == nullptr ? "" : value);
  }
  return omp_get_max_threads() > 0 ? 0 : 1;
}
