// The variables of the environment that say how long OpenMP's threads spin before they sleep, and how much stack they have.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/stack_size.hpp"

namespace whorl::cli {

inline constexpr const char* spin_variable = "GOMP_SPINCOUNT";
inline constexpr const char* policy_variable = "OMP_WAIT_POLICY";
/// Some microseconds: docs/builders/threads.md has the times.
inline constexpr const char* spins = "300";
/// The process that set the spin variable for itself. The programs that it starts have other numbers.
inline constexpr const char* set_here_variable = "WHORL_SPINS_SET_BY";

/// Gives OpenMP's threads their usual stack where the user gave them too little. Returns whether it did.
inline bool raise_stack_size() {
  if (!detail::is_stack_small()) return false;
  for (const char* const variable : detail::stack_variables) ::unsetenv(variable);
  return true;
}

/// Sets them for this process, unless the user has set one. Returns whether it did.
inline bool set_wait_variables() {
  if (std::getenv(policy_variable) != nullptr || std::getenv(spin_variable) != nullptr) return false;
  ::setenv(spin_variable, spins, 1);
  ::setenv(set_here_variable, std::to_string(::getpid()).c_str(), 1);
  return true;
}

}  // namespace whorl::cli
