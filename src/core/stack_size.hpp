// The stack of OpenMP's threads, which its runtime reads from the environment when it is loaded.
#pragma once

#include <array>
#include <cstdlib>
#include <optional>

namespace whorl::detail {

inline constexpr std::array stack_variables{"OMP_STACKSIZE", "GOMP_STACKSIZE"};
/// Smallest stack on which loops run: with 16 kB every run crashed, and libraries need part of the stack too.
inline constexpr double least_stack_bytes = 262144;

/// Bytes that a variable's text asks for: a number with B, K (the same without a letter), M or G. None: it is not understood, and
/// OpenMP's runtime ignores it.
inline std::optional<double> stack_bytes(const char* text) {
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  if (end == text || number < 0) return std::nullopt;
  while (*end == ' ') ++end;
  switch (*end) {
    case 'b':
    case 'B':
      return number;
    case '\0':
    case 'k':
    case 'K':
      return number * 1024;
    case 'm':
    case 'M':
      return number * 1048576;
    case 'g':
    case 'G':
      return number * 1073741824;
    default:
      return std::nullopt;
  }
}

/// Bytes that the environment asks for, of the first variable that is understood.
inline std::optional<double> asked_stack_bytes() {
  for (const char* const variable : stack_variables) {
    const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
    if (text == nullptr) continue;
    if (const auto bytes = stack_bytes(text)) return bytes;
  }
  return std::nullopt;
}

/// Whether the threads would have less than they need.
inline bool is_stack_small() { return asked_stack_bytes().value_or(least_stack_bytes) < least_stack_bytes; }

}  // namespace whorl::detail
