#include "cli/output/waiting.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <string>

#include "cli/output/wait_variables.hpp"

namespace whorl::cli {

namespace {

std::string own_file() {
  // Started by the dynamic loader by hand, the process is the loader's.
  if (::getauxval(AT_BASE) == 0) return {};
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 && length < PATH_MAX ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

void let_waiting_threads_sleep(char** argv) {
  if (const char* process = std::getenv(set_here_variable); process != nullptr) {
    const bool here = process == std::to_string(::getpid());
    ::unsetenv(set_here_variable);
    if (here) {
      ::unsetenv(spin_variable);
      return;
    }
  }
  const std::string file = own_file();
  if (file.empty()) return;
  const bool is_new = raise_stack_size();
  if (!set_wait_variables() && !is_new) return;
  ::execv(file.c_str(), argv);
  ::unsetenv(spin_variable);
  ::unsetenv(set_here_variable);
}

}  // namespace whorl::cli
