// Code that the padded FFT and the convolution share: the tables of the three axes on the device.
#pragma once

#include <array>
#include <memory>

#include "backend/cuda/lines/line_passes.hpp"
#include "backend/cuda/runtime.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

/// The tables of one length on the device.
template <class Real>
class LineFft {
 public:
  /// Throws ValueError if a block cannot hold lines of n points, or n has a prime factor above 5.
  LineFft(const Context& ctx, Index n);

  DeviceLine<Real> line() const { return {stages_, twiddle_.data(), head_.data(), place_.data()}; }

 private:
  LineFft(const Context& ctx, const LineTables<Real>& tables);

  LineStages stages_;
  Array<std::complex<Real>> twiddle_;
  Array<int> head_;
  Array<int> place_;
};

/// Axes z, y, x; axes of the same length share their tables.
template <class Real>
class LineAxes {
 public:
  LineAxes(const Context& ctx, const std::array<Index, 3>& grid);

  DeviceLine<Real> operator[](std::size_t axis) const { return fft_[axis]->line(); }

 private:
  std::array<std::shared_ptr<const LineFft<Real>>, 3> fft_;
};

/// The distance between rows of `points` points: whole sectors of memory, and so whole packets of columns.
template <class Real>
constexpr Index padded_row(Index points) {
  constexpr Index sector = 32 / sizeof(std::complex<Real>);
  return round_up(points, sector);
}

}  // namespace whorl::backend::cuda
