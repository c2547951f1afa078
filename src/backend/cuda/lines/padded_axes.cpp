#include "backend/cuda/lines/padded_axes.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
LineTables<Real> tables_within(const Context& ctx, Index n) {
  if (n > longest_line<Real>(ctx)) {
    throw ValueError(fmt::format("fft: an axis of {} points, this GPU takes at most {}", n, longest_line<Real>(ctx)));
  }
  return LineTables<Real>(n);
}

}  // namespace

template <class Real>
LineFft<Real>::LineFft(const Context& ctx, Index n) : LineFft(ctx, tables_within<Real>(ctx, n)) {}

template <class Real>
LineFft<Real>::LineFft(const Context& ctx, const LineTables<Real>& tables)
    : stages_(tables.stages),
      twiddle_(upload<std::complex<Real>>(ctx, tables.twiddle)),
      head_(upload<int>(ctx, tables.head)),
      place_(upload<int>(ctx, tables.place)) {}

template <class Real>
LineAxes<Real>::LineAxes(const Context& ctx, const std::array<Index, 3>& grid) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t same = 0; same < axis && !fft_[axis]; ++same) {
      if (grid[same] == grid[axis]) fft_[axis] = fft_[same];
    }
    if (!fft_[axis]) fft_[axis] = std::make_shared<const LineFft<Real>>(ctx, grid[axis]);
  }
}

template class LineAxes<float>;
template class LineAxes<double>;

}  // namespace whorl::backend::cuda
