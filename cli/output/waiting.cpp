#include "cli/output/waiting.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

namespace whorl::cli {

namespace {

constexpr const char* spin_variable = "GOMP_SPINCOUNT";
constexpr const char* policy_variable = "OMP_WAIT_POLICY";
// Some microseconds: docs/performance.md has the times.
constexpr const char* spins = "300";
// The process that has started again. The programs that it starts have other numbers.
constexpr const char* again_variable = "WHORL_STARTED_AGAIN";

std::string own_file() {
  // Started by the dynamic loader by hand, the process is the loader's.
  if (::getauxval(AT_BASE) == 0) return {};
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 && length < PATH_MAX ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

void let_waiting_threads_sleep(char** argv) {
  const std::string process = std::to_string(::getpid());
  if (const char* again = std::getenv(again_variable); again != nullptr) {
    const bool here = process == again;
    ::unsetenv(again_variable);
    if (here) {
      ::unsetenv(spin_variable);
      return;
    }
  }
  if (std::getenv(policy_variable) != nullptr || std::getenv(spin_variable) != nullptr) return;
  const std::string file = own_file();
  if (file.empty()) return;
  ::setenv(spin_variable, spins, 1);
  ::setenv(again_variable, process.c_str(), 1);
  ::execv(file.c_str(), argv);
  ::unsetenv(spin_variable);
  ::unsetenv(again_variable);
}

}  // namespace whorl::cli
