#include "backend/cpu/padded_lines.hpp"
#include "backend/cpu/simd_targets.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/padded_lines_hwy.cpp"
#include "hwy/foreach_target.h"
//
#include "backend/cpu/line_fft-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

template <class T>
using Wide = hn::ScalableTag<T>;

template <class T>
Index lanes() {
  return static_cast<Index>(hn::Lanes(Wide<T>()));
}

// Calls visit(first grid point, first pixel, count) for the two stretches of pixels.
template <class T, class Visit>
HWY_INLINE void for_each_stretch(const PaddedAxis<T>& axis, const Visit& visit) {
  visit(Index{0}, axis.half, axis.image - axis.half);
  visit(axis.fft.length - axis.half, Index{0}, axis.half);
}

template <class T>
HWY_INLINE void clear_padding(const PaddedAxis<T>& axis, T* block) {
  const Index point = 2 * lanes<T>();
  std::fill(block + (axis.image - axis.half) * point, block + (axis.fft.length - axis.half) * point, T(0));
}

// One complex number, as one move.
template <class T>
HWY_INLINE void move_one(const T* from, T* to) {
  std::memcpy(to, from, 2 * sizeof(T));
}

// Two lines of two points each become two points of two lines each.
HWY_INLINE void transpose_pair(const float* first, const float* second, float* to, Index to_stride) {
#if HWY_TARGET == HWY_SCALAR
  move_one(first, to);
  move_one(second, to + 2);
  move_one(first + 2, to + to_stride);
  move_one(second + 2, to + to_stride + 2);
#else
  const hn::Full128<double> d;  // a complex number
  const auto a = hn::LoadU(d, reinterpret_cast<const double*>(first));
  const auto b = hn::LoadU(d, reinterpret_cast<const double*>(second));
  hn::StoreU(hn::InterleaveLower(d, a, b), d, reinterpret_cast<double*>(to));
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, reinterpret_cast<double*>(to + to_stride));
#endif
}

HWY_INLINE void transpose_pair(const double* first, const double* second, double* to, Index to_stride) {
  move_one(first, to);
  move_one(second, to + 2);
  move_one(first + 2, to + to_stride);
  move_one(second + 2, to + to_stride + 2);
}

// [point][line] of complex numbers -> [point][2][line], in place, and back.
template <class T>
HWY_INLINE void split_points(T* block, Index points) {
  const Wide<T> d;
  const Index n = lanes<T>();
  for (Index i = 0; i < points; ++i, block += 2 * n) {
    hn::Vec<Wide<T>> re;
    hn::Vec<Wide<T>> im;
    hn::LoadInterleaved2(d, block, re, im);
    hn::Store(re, d, block);
    hn::Store(im, d, block + n);
  }
}

template <class T>
HWY_INLINE void join_points(T* block, Index points) {
  const Wide<T> d;
  const Index n = lanes<T>();
  for (Index i = 0; i < points; ++i, block += 2 * n) {
    const auto re = hn::Load(d, block);
    const auto im = hn::Load(d, block + n);
    hn::StoreInterleaved2(re, im, d, block);
  }
}

// `points` pixels of up to lanes() lines into [point][line]; lines that are missing become zero.
template <class T>
HWY_INLINE void pixels_of_lines(const PaddedLine<T>* lines, Index count, Index first, Index points, T* block) {
  const Index point = 2 * lanes<T>();
  const auto at = [&](Index line) { return reinterpret_cast<const T*>(lines[line].image + first); };
  Index line = 0;
  for (; line + 1 < count; line += 2) {
    const T* a = at(line);
    const T* b = at(line + 1);
    T* to = block + 2 * line;
    Index i = 0;
    for (; i + 1 < points; i += 2) transpose_pair(a + 2 * i, b + 2 * i, to + i * point, point);
    for (; i < points; ++i) {
      move_one(a + 2 * i, to + i * point);
      move_one(b + 2 * i, to + i * point + 2);
    }
  }
  const T zero[2] = {};
  for (; line < lanes<T>(); ++line) {
    for (Index i = 0; i < points; ++i) move_one(line < count ? at(line) + 2 * i : zero, block + i * point + 2 * line);
  }
}

template <class T>
HWY_INLINE void scale(std::complex<T>* line, const T* factor, T common, Index count) {
  for (Index i = 0; i < count; ++i) line[i] *= common * factor[i];
}

template <class T>
void forward_some_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count, Index row,
                        T* block) {
  const Wide<T> d;
  const Index n = lanes<T>();
  clear_padding(axis, block);
  for_each_stretch(axis, [&](Index at, Index pixel, Index points) {
    pixels_of_lines(lines, count, pixel, points, block + at * 2 * n);
  });
  // Split, and multiply by the factors of the pixel and of the line.
  HWY_ALIGN T line_factor[block_lines] = {};
  for (Index l = 0; l < count; ++l) line_factor[l] = lines[l].factor;
  const auto per_line = hn::Load(d, line_factor);
  for_each_stretch(axis, [&](Index at, Index pixel, Index points) {
    T* to = block + at * 2 * n;
    for (Index i = 0; i < points; ++i, to += 2 * n) {
      hn::Vec<Wide<T>> re;
      hn::Vec<Wide<T>> im;
      hn::LoadInterleaved2(d, to, re, im);
      const auto weight = hn::Mul(per_line, hn::Set(d, factor[pixel + i]));
      hn::Store(hn::Mul(re, weight), d, to);
      hn::Store(hn::Mul(im, weight), d, to + n);
    }
  });
  transform_lines<false, Wide<T>>(axis.fft, 0, block);
  join_points(block, axis.fft.length);
  const std::int32_t* order = axis.fft.order.data();
  for (Index l = 0; l < count; ++l) {
    T* grid = reinterpret_cast<T*>(lines[l].grid);
    const T* from = block + 2 * l;
    for (Index i = 0; i < axis.fft.length; ++i) move_one(from + i * 2 * n, grid + 2 * order[i]);
    std::fill(grid + 2 * axis.fft.length, grid + 2 * row, T(0));
  }
}

template <class T>
void adjoint_some_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count, T* block) {
  const Index n = lanes<T>();
  const std::int32_t* order = axis.fft.order.data();
  const T zero[2] = {};
  for (Index l = 0; l < n; ++l) {
    T* to = block + 2 * l;
    const T* grid = l < count ? reinterpret_cast<const T*>(lines[l].grid) : nullptr;
    for (Index i = 0; i < axis.fft.length; ++i) move_one(grid != nullptr ? grid + 2 * order[i] : zero, to + i * 2 * n);
  }
  split_points(block, axis.fft.length);
  transform_lines<true, Wide<T>>(axis.fft, 0, block);
  for_each_stretch(axis, [&](Index at, Index pixel, Index points) {
    T* from = block + at * 2 * n;
    join_points(from, points);
    for (Index l = 0; l < count; ++l) {
      T* image = reinterpret_cast<T*>(lines[l].image + pixel);
      for (Index i = 0; i < points; ++i) move_one(from + i * 2 * n + 2 * l, image + 2 * i);
      scale(lines[l].image + pixel, factor + pixel, lines[l].factor, points);
    }
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
    transform_lines<false, Wide<T>>(axis.fft, 0, block);
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
    transform_lines<true, Wide<T>>(axis.fft, 0, block);
    block_to_pixels(axis, block, data + first, stride);
  }
}

template <class T>
void convolve_all_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, const T* spectrum, T* block) {
  const Wide<T> d;
  const Index n = lanes<T>();
  for (Index first = 0; first < block_lines; first += n) {
    pixels_to_block(axis, data + first, stride, block);
    transform_lines<false, Wide<T>>(axis.fft, 0, block);
    for (Index i = 0; i < axis.fft.length; ++i) {
      const auto factor = hn::LoadU(d, spectrum + i * block_lines + first);
      T* point = block + i * 2 * n;
      hn::Store(hn::Mul(factor, hn::Load(d, point)), d, point);
      hn::Store(hn::Mul(factor, hn::Load(d, point + n)), d, point + n);
    }
    transform_lines<true, Wide<T>>(axis.fft, 0, block);
    block_to_pixels(axis, block, data + first, stride);
  }
}

template <class T>
void forward_all_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count, Index row,
                       T* block) {
  for (Index first = 0; first < count; first += lanes<T>()) {
    forward_some_lines(axis, factor, lines + first, std::min(lanes<T>(), count - first), row, block);
  }
}

template <class T>
void adjoint_all_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count, T* block) {
  for (Index first = 0; first < count; first += lanes<T>()) {
    adjoint_some_lines(axis, factor, lines + first, std::min(lanes<T>(), count - first), block);
  }
}

// Entry points of this target, one per precision: Highway 1.0 dispatches no templates.
#define WHORL_ENTRY(T, suffix)                                                                                      \
  void forward_lines_##suffix(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,  \
                              Index row, T* scratch) {                                                              \
    forward_all_lines(axis, factor, lines, count, row, scratch);                                                    \
  }                                                                                                                 \
  void adjoint_lines_##suffix(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,  \
                              T* scratch) {                                                                         \
    adjoint_all_lines(axis, factor, lines, count, scratch);                                                         \
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

#define WHORL_DISPATCH(T, suffix)                                                                                    \
  HWY_EXPORT(forward_lines_##suffix);                                                                                \
  HWY_EXPORT(adjoint_lines_##suffix);                                                                                \
  HWY_EXPORT(forward_columns_##suffix);                                                                              \
  HWY_EXPORT(adjoint_columns_##suffix);                                                                              \
  HWY_EXPORT(convolve_columns_##suffix);                                                                             \
  void forward_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count, Index row, \
                     T* scratch) {                                                                                   \
    HWY_DYNAMIC_DISPATCH(forward_lines_##suffix)(axis, factor, lines, count, row, scratch);                          \
  }                                                                                                                  \
  void adjoint_lines(const PaddedAxis<T>& axis, const T* factor, const PaddedLine<T>* lines, Index count,            \
                     T* scratch) {                                                                                   \
    HWY_DYNAMIC_DISPATCH(adjoint_lines_##suffix)(axis, factor, lines, count, scratch);                               \
  }                                                                                                                  \
  void forward_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* scratch) {                 \
    HWY_DYNAMIC_DISPATCH(forward_columns_##suffix)(axis, data, stride, scratch);                                     \
  }                                                                                                                  \
  void adjoint_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, T* scratch) {                 \
    HWY_DYNAMIC_DISPATCH(adjoint_columns_##suffix)(axis, data, stride, scratch);                                     \
  }                                                                                                                  \
  void convolve_columns(const PaddedAxis<T>& axis, std::complex<T>* data, Index stride, const T* spectrum,           \
                        T* scratch) {                                                                                \
    HWY_DYNAMIC_DISPATCH(convolve_columns_##suffix)(axis, data, stride, spectrum, scratch);                          \
  }
WHORL_DISPATCH(float, single)
WHORL_DISPATCH(double, double)
#undef WHORL_DISPATCH

}  // namespace whorl::backend::cpu
#endif
