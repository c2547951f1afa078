// The types of numbers that whorl computes with, as concepts.
#pragma once

#include <complex>
#include <concepts>

#include "whorl/core/export.hpp"

// Warns if the result refers to a temporary object that is destroyed in the same statement (clang; others ignore it).
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define WHORL_LIFETIME_BOUND [[clang::lifetimebound]]
#endif
#endif
#ifndef WHORL_LIFETIME_BOUND
#define WHORL_LIFETIME_BOUND
#endif

namespace WHORL_PUBLIC whorl {

/// float or double. The library is compiled for these two, so a call with another type does not compile.
template <class T>
concept Precision = std::same_as<T, float> || std::same_as<T, double>;

/// A real or complex number: float, double, std::complex<float>, std::complex<double>.
template <class T>
concept Number = Precision<T> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

}  // namespace whorl
