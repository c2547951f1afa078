// The input and output of every version of a filter, and common arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "studies/cited.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::studies::image_filters {

using Byte = std::uint8_t;

/// A picture on the context's device, three bytes per pixel, and the destination of the result. The picture is a torus:
/// beyond the left edge lies the right one.
struct Job {
  const Byte* from = nullptr;  ///< [height, width, 3]
  int height = 0;
  int width = 0;
  Byte* to = nullptr;  ///< [to_height, to_width, 3], of edges [to_height, to_width]
  int to_height = 0;
  int to_width = 0;
  int rows = 0;  ///< of the result that are computed, from the first on
};

/// What the report says.
consteval Cited said(std::string_view text) { return {"image_filters", text}; }

/// A version of a filter.
struct Step {
  std::string name;
  std::function<void(const Context&, const Job&)> run;
  Cited published{};        ///< what the report says of it
  bool same_result = true;  ///< false: another result is the point of showing it
  double work = 0;          ///< multiply-adds of a pixel where they are many: a part of the rows will do on a CPU
};

/// Wraps an index at most n outside of a row of n pixels.
constexpr int wrapped(int i, int n) {
  if (i < 0) return i + n;
  return i < n ? i : i - n;
}

/// The nearest level, halves up.
template <class Real>
constexpr Byte rounded_level(Real value) {
  constexpr Real half(0.5);
  constexpr Real full(255);
  value += half;
  if (value < 0) return 0;
  return static_cast<Byte>(value < full ? value : full);
}

/// The level below.
template <class Real>
constexpr Byte cut_level(Real value) {
  constexpr Real full(255);
  if (value < 0) return 0;
  return static_cast<Byte>(value < full ? value : full);
}

/// Light of a pixel, 0.2125 R + 0.7154 G + 0.0721 B, its integer part.
constexpr int luma(int red, int green, int blue) { return (2125 * red + 7154 * green + 721 * blue) / 10000; }

constexpr Index pixels_of(const Job& job) { return Index{job.height} * job.width; }

}  // namespace whorl::studies::image_filters
