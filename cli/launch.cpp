// The program beside shared libraries. It sets what OpenMP's runtime reads when it is loaded, and then loads the library that is
// the program, with all libraries. Otherwise the program would have to start again, and load them twice (output/waiting.hpp).
#include <dlfcn.h>

#include <cstdio>

#include "cli/output/wait_variables.hpp"

int main(int argc, char** argv) {
  whorl::cli::raise_stack_size();
  whorl::cli::set_wait_variables();
  void* const library = dlopen(WHORL_PROGRAM_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  void* const program = library == nullptr ? nullptr : dlsym(library, "whorl_program");
  if (program == nullptr) {
    std::fprintf(stderr, "whorl: error: its library cannot be loaded: %s; install whorl again\n", dlerror());
    return 1;
  }
  return reinterpret_cast<int (*)(int, char**)>(program)(argc, argv);
}
