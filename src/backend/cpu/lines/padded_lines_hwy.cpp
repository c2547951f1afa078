#include "backend/cpu/lines/padded_lines.hpp"
#include "backend/cpu/simd_targets.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/lines/padded_lines_hwy.cpp"
#include "hwy/foreach_target.h"
//
#include "backend/cpu/lines/line_fft-inl.hpp"
#include "backend/cpu/lines/line_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// Calls visit(first grid point, first pixel, count) for the two ranges of pixels.
template <class T, class Visit>
HWY_INLINE void for_each_stretch(const PaddedAxis<T>& axis, const Visit& visit) {
  visit(Index{0}, axis.half, axis.image - axis.half);
  visit(axis.fft.length - axis.half, Index{0}, axis.half);
}

// Whether all pixels lie in the first half of the grid, as those of a convolution do. The transform then leaves out the
// second half.
template <class T>
HWY_INLINE bool fills_half(const PaddedAxis<T>& axis) {
  return axis.half == 0 && 2 * axis.image <= axis.fft.length && has_halves(axis.fft);
}

template <class T>
HWY_INLINE void clear_padding(const PaddedAxis<T>& axis, T* block) {
  const Index point = 2 * lanes<T>();
  const Index end = fills_half(axis) ? axis.fft.length / 2 : axis.fft.length - axis.half;
  std::fill(block + (axis.image - axis.half) * point, block + end * point, T(0));
}

// Transforms the pixels, with the rest of the block cleared first; or transforms back, where only the pixels are computed.
template <bool inverse, class T>
HWY_INLINE void transform_pixels(const PaddedAxis<T>& axis, T* block) {
  if (fills_half(axis)) {
    transform_lines<inverse, true, Wide<T>>(axis.fft, 0, block);
  } else {
    transform_lines<inverse, false, Wide<T>>(axis.fft, 0, block);
  }
}

// The factors of up to lanes() lines.
template <class T>
HWY_INLINE hn::Vec<Wide<T>> factors_of(const PaddedLine<T>* lines, Index count) {
  HWY_ALIGN T factor[block_lines] = {};
  for (Index l = 0; l < count; ++l) factor[l] = lines[l].factor;
  return hn::Load(Wide<T>(), factor);
}

template <class T>
void forward_some_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,
                        Index together, Index row, T* block) {
  const Wide<T> d;
  const Index n = lanes<T>();
  clear_padding(axis, block);
  const auto per_line = factors_of(lines, count);
  for_each_stretch(axis, [&](Index at, Index pixel, Index points) {
    T* to = block + at * 2 * n;
    const auto image = [&](Index line) { return reinterpret_cast<const T*>(lines[line].image + pixel); };
    lines_to_rows(image, count, points, Rows<T>{to});
    // Split, and multiply by the factors of the pixel and of the line.
    for (Index i = 0; i < points; ++i, to += 2 * n) {
      hn::Vec<Wide<T>> re;
      hn::Vec<Wide<T>> im;
      hn::LoadInterleaved2(d, to, re, im);
      const auto weight = hn::Mul(per_line, hn::Set(d, factor[pixel + i]));
      hn::Store(hn::Mul(re, weight), d, to);
      hn::Store(hn::Mul(im, weight), d, to + n);
    }
  });
  transform_pixels<false>(axis, block);
  join_points(block, axis.fft.length);
  const auto grid = [&](Index line) { return reinterpret_cast<T*>(lines[line].grid); };
  const Rows<T> rows{block, axis.fft.place.data()};
  if (together == 1) {
    rows_to_lines(rows, axis.fft.length, grid, count);
  } else {
    rows_to_joined_lines(rows, axis.fft.length, grid, count);
  }
  for (Index l = 0; l < count; ++l) {
    for (Index i = axis.fft.length; i < row; ++i) std::fill_n(grid(l) + 2 * together * i, 2, T(0));
  }
}

template <class T>
void adjoint_some_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,
                        Index together, T* block) {
  const Wide<T> d;
  const Index n = lanes<T>();
  const auto grid = [&](Index line) { return reinterpret_cast<const T*>(lines[line].grid); };
  const Rows<T> rows{block, axis.fft.place.data()};
  if (together == 1) {
    lines_to_rows(grid, count, axis.fft.length, rows);
  } else {
    joined_lines_to_rows(grid, count, axis.fft.length, rows);
  }
  split_points(block, axis.fft.length);
  transform_pixels<true>(axis, block);
  const auto per_line = factors_of(lines, count);
  for_each_stretch(axis, [&](Index at, Index pixel, Index points) {
    T* const from = block + at * 2 * n;
    T* point = from;
    for (Index i = 0; i < points; ++i, point += 2 * n) {
      const auto weight = hn::Mul(per_line, hn::Set(d, factor[pixel + i]));
      const auto re = hn::Mul(weight, hn::Load(d, point));
      const auto im = hn::Mul(weight, hn::Load(d, point + n));
      hn::StoreInterleaved2(re, im, d, point);
    }
    const auto image = [&](Index line) { return reinterpret_cast<T*>(lines[line].image + pixel); };
    rows_to_lines(Rows<T>{from}, points, image, count);
  });
}

template <class T>
HWY_INLINE void load_columns(const std::complex<T>* data, Index stride, Index count, T* block) {
  const Wide<T> d;
  const Index n = lanes<T>();
  for (Index i = 0; i < count; ++i, data += stride, block += 2 * n) {
    hn::Vec<Wide<T>> re;
    hn::Vec<Wide<T>> im;
    hn::LoadInterleaved2(d, reinterpret_cast<const T*>(data), re, im);
    hn::Store(re, d, block);
    hn::Store(im, d, block + n);
  }
}

template <class T>
HWY_INLINE void store_point(const T* point, std::complex<T>* data) {
  const Wide<T> d;
  hn::StoreInterleaved2(hn::Load(d, point), hn::Load(d, point + lanes<T>()), d, reinterpret_cast<T*>(data));
}

template <class T>
HWY_INLINE void pixels_to_block(const PaddedAxis<T>& axis, const std::complex<T>* data, Index stride, T* block) {
  clear_padding(axis, block);
  for_each_stretch(axis, [&](Index at, Index /*pixel*/, Index points) {
    load_columns(data + at * stride, stride, points, block + at * 2 * lanes<T>());
  });
}

template <class T>
HWY_INLINE void block_to_pixels(const PaddedAxis<T>& axis, const T* block, std::complex<T>* data, Index stride) {
  for_each_stretch(axis, [&](Index at, Index /*pixel*/, Index points) {
    for (Index i = at; i < at + points; ++i) store_point(block + i * 2 * lanes<T>(), data + i * stride);
  });
}

template <class T>
void forward_all_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* block) {
  const Index n = lanes<T>();
  for (Index first = 0; first < block_lines; first += n) {
    pixels_to_block(axis, data + first, stride, block);
    transform_pixels<false>(axis, block);
    for (Index i = 0; i < axis.fft.length; ++i) {
      store_point(block + i * 2 * n, data + first + axis.fft.order[static_cast<std::size_t>(i)] * stride);
    }
  }
}

template <class T>
void adjoint_all_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* block) {
  const Index n = lanes<T>();
  for (Index first = 0; first < block_lines; first += n) {
    for (Index i = 0; i < axis.fft.length; ++i) {
      load_columns(data + first + axis.fft.order[static_cast<std::size_t>(i)] * stride, stride, 1, block + i * 2 * n);
    }
    transform_pixels<true>(axis, block);
    block_to_pixels(axis, block, data + first, stride);
  }
}

template <class T>
void convolve_all_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, const T* spectrum, T* block) {
  for (Index first = 0; first < block_lines; first += lanes<T>()) {
    pixels_to_block(axis, data + first, stride, block);
    if (fills_half(axis)) {
      convolve_lines<true, Wide<T>>(axis.fft, 0, spectrum + first, block_lines, block);
    } else {
      convolve_lines<false, Wide<T>>(axis.fft, 0, spectrum + first, block_lines, block);
    }
    block_to_pixels(axis, block, data + first, stride);
  }
}

template <class T>
void forward_all_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,
                       Index together, Index row, T* block) {
  for (Index first = 0; first < count; first += lanes<T>()) {
    forward_some_lines(axis, factor, lines + first, std::min(lanes<T>(), count - first), together, row, block);
  }
}

template <class T>
void adjoint_all_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,
                       Index together, T* block) {
  for (Index first = 0; first < count; first += lanes<T>()) {
    adjoint_some_lines(axis, factor, lines + first, std::min(lanes<T>(), count - first), together, block);
  }
}

// Entry points of this target, one per precision: Highway 1.0 dispatches no templates.
#define WHORL_ENTRY(T, suffix)                                                                                      \
  void forward_lines_##suffix(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,  \
                              Index together, Index row, T* scratch) {                                              \
    forward_all_lines(axis, factor, lines, count, together, row, scratch);                                          \
  }                                                                                                                 \
  void adjoint_lines_##suffix(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,  \
                              Index together, T* scratch) {                                                         \
    adjoint_all_lines(axis, factor, lines, count, together, scratch);                                               \
  }                                                                                                                 \
  void forward_columns_##suffix(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* scratch) {       \
    forward_all_columns(axis, data, stride, scratch);                                                               \
  }                                                                                                                 \
  void adjoint_columns_##suffix(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* scratch) {       \
    adjoint_all_columns(axis, data, stride, scratch);                                                               \
  }                                                                                                                 \
  void convolve_columns_##suffix(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, const T* spectrum, \
                                 T* scratch) {                                                                      \
    convolve_all_columns(axis, data, stride, spectrum, scratch);                                                    \
  }
WHORL_ENTRY(float, single)
WHORL_ENTRY(double, double)
#undef WHORL_ENTRY

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

#define WHORL_DISPATCH(T, suffix)                                                                          \
  HWY_EXPORT(forward_lines_##suffix);                                                                      \
  HWY_EXPORT(adjoint_lines_##suffix);                                                                      \
  HWY_EXPORT(forward_columns_##suffix);                                                                    \
  HWY_EXPORT(adjoint_columns_##suffix);                                                                    \
  HWY_EXPORT(convolve_columns_##suffix);                                                                   \
  void forward_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,  \
                     Index together, Index row, T* scratch) {                                              \
    HWY_DYNAMIC_DISPATCH(forward_lines_##suffix)(axis, factor, lines, count, together, row, scratch);      \
  }                                                                                                        \
  void adjoint_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,  \
                     Index together, T* scratch) {                                                         \
    HWY_DYNAMIC_DISPATCH(adjoint_lines_##suffix)(axis, factor, lines, count, together, scratch);           \
  }                                                                                                        \
  void forward_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* scratch) {       \
    HWY_DYNAMIC_DISPATCH(forward_columns_##suffix)(axis, data, stride, scratch);                           \
  }                                                                                                        \
  void adjoint_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* scratch) {       \
    HWY_DYNAMIC_DISPATCH(adjoint_columns_##suffix)(axis, data, stride, scratch);                           \
  }                                                                                                        \
  void convolve_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, const T* spectrum, \
                        T* scratch) {                                                                      \
    HWY_DYNAMIC_DISPATCH(convolve_columns_##suffix)(axis, data, stride, spectrum, scratch);                \
  }
WHORL_DISPATCH(float, single)
WHORL_DISPATCH(double, double)
#undef WHORL_DISPATCH

}  // namespace whorl::backend::cpu
#endif
