// Passes of a transform over lines of memory: all lines of a batch of images along x, all columns along y or z, and
// columns that are multiplied by a spectrum between their transform and its inverse. Zeros are not read, and cropped
// points are not written.
#pragma once

#include "backend/cuda/lines/line_fft.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cuda {

/// The points n of a periodic axis that hold pixels: those with i = (n + half) mod length below `count`; i is the pixel.
struct Window {
  int half;
  int count;
};

/// The memory of the lines along x on one side of LinePass.
template <class T, class Real>
struct LineSide {
  T* data;
  Index batch, plane, row;  ///< elements from one to the next
  Window x, y, z;           ///< pixels of each axis; a row holds only those of x
  int y_points, z_points;   ///< pixel i of an axis lies at (i - half) mod points
  const Real* factor[3];    ///< z, y, x: a factor for each pixel; null: none
};

template <class Real>
struct LinePass {
  LineSide<const std::complex<Real>, Real> in;
  LineSide<std::complex<Real>, Real> out;
  int padding;  ///< zeros written past the end of each row
  bool inverse;
};

/// Columns through `planes` times `batch` planes. Each side has its own distances between them.
template <class T>
struct ColumnSide {
  T* data;
  Index batch, plane, element;
  Window window;
};

template <class Real>
struct ColumnPass {
  ColumnSide<const std::complex<Real>> in;
  ColumnSide<std::complex<Real>> out;
  Window plane;  ///< the planes: pixels of an axis of plane_points points
  int plane_points;
  int columns;  ///< a multiple of what a packet holds
  bool inverse;
};

/// out = crop(inverse DFT(spectrum * DFT(in))) along columns
template <class Real>
struct ConvolutionPass {
  ColumnSide<const std::complex<Real>> in;
  ColumnSide<std::complex<Real>> out;
  int planes;
  int columns;
  const Real* spectrum;  ///< of plane p, point n and column x: [p * spectrum_plane + n * spectrum_element + x]
  Index spectrum_plane, spectrum_element;
};

/// The longest line of which a block holds a whole packet.
template <class Real>
Index longest_line(const Context& ctx);

template <class Real>
void run_lines(const Context& ctx, const DeviceLine<Real>& line, const LinePass<Real>& pass, Index batch);

template <class Real>
void run_columns(const Context& ctx, const DeviceLine<Real>& line, const ColumnPass<Real>& pass, Index batch);

template <class Real>
void run_convolution(const Context& ctx, const DeviceLine<Real>& line, const ConvolutionPass<Real>& pass, Index batch);

}  // namespace whorl::backend::cuda
