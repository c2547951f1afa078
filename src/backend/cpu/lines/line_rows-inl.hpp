// Lines to the rows of a block and back: from line after line to point after point. Included once per SIMD target.

#include "hwy/highway.h"

#include "kernels/grid_layout.hpp"

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Wide = hn::ScalableTag<T>;

template <class T>
Index lanes() {
  return static_cast<Index>(hn::Lanes(Wide<T>()));
}

// One complex number, as one move.
template <class T>
HWY_INLINE void move_one(const T* from, T* to) {
  std::memcpy(to, from, 2 * sizeof(T));
}

// Transposes two pairs of numbers: the first numbers of a and b go to `first`, the second ones to `second`.
HWY_INLINE void transpose_pair(const float* a, const float* b, float* first, float* second) {
#if HWY_TARGET == HWY_SCALAR
  move_one(a, first);
  move_one(b, first + 2);
  move_one(a + 2, second);
  move_one(b + 2, second + 2);
#else
  const hn::Full128<double> d;  // a complex number
  const auto from_a = hn::LoadU(d, reinterpret_cast<const double*>(a));
  const auto from_b = hn::LoadU(d, reinterpret_cast<const double*>(b));
  hn::StoreU(hn::InterleaveLower(d, from_a, from_b), d, reinterpret_cast<double*>(first));
  hn::StoreU(hn::InterleaveUpper(d, from_a, from_b), d, reinterpret_cast<double*>(second));
#endif
}

HWY_INLINE void transpose_pair(const double* a, const double* b, double* first, double* second) {
  move_one(a, first);
  move_one(b, first + 2);
  move_one(a + 2, second);
  move_one(b + 2, second + 2);
}

// The rows of a block. Point i of a line lies at place[i] of its row, or at i without `place`. One pass over the block
// serves any number of lines.
template <class T>
struct Rows {
  T* block;
  const std::int32_t* place = nullptr;
  HWY_INLINE T* operator[](Index i) const { return block + (place != nullptr ? place[i] : i) * 2 * lanes<T>(); }
};

// Copies `points` numbers of up to lanes() lines to [point][line]; missing lines become zero. `at(line)` is the start
// of a line.
template <class T, class At>
HWY_INLINE void lines_to_rows(const At& at, Index count, Index points, Rows<T> rows) {
  Index i = 0;
  for (; i + 1 < points; i += 2) {
    T* const first = rows[i];
    T* const second = rows[i + 1];
    Index line = 0;
    for (; line + 1 < count; line += 2) {
      transpose_pair(at(line) + 2 * i, at(line + 1) + 2 * i, first + 2 * line, second + 2 * line);
    }
    if (line < count) {
      move_one(at(line) + 2 * i, first + 2 * line);
      move_one(at(line) + 2 * i + 2, second + 2 * line);
      ++line;
    }
    std::fill(first + 2 * line, first + 2 * lanes<T>(), T(0));
    std::fill(second + 2 * line, second + 2 * lanes<T>(), T(0));
  }
  if (i < points) {
    T* const last = rows[i];
    for (Index line = 0; line < count; ++line) move_one(at(line) + 2 * i, last + 2 * line);
    std::fill(last + 2 * count, last + 2 * lanes<T>(), T(0));
  }
}

// The reverse: [point][line] to lines.
template <class T, class At>
HWY_INLINE void rows_to_lines(Rows<T> rows, Index points, const At& at, Index count) {
  Index i = 0;
  for (; i + 1 < points; i += 2) {
    const T* const first = rows[i];
    const T* const second = rows[i + 1];
    Index line = 0;
    for (; line + 1 < count; line += 2) {
      transpose_pair(first + 2 * line, second + 2 * line, at(line) + 2 * i, at(line + 1) + 2 * i);
    }
    if (line < count) {
      move_one(first + 2 * line, at(line) + 2 * i);
      move_one(second + 2 * line, at(line) + 2 * i + 2);
    }
  }
  if (i < points) {
    const T* const last = rows[i];
    for (Index line = 0; line < count; ++line) move_one(last + 2 * line, at(line) + 2 * i);
  }
}

// Lines of coils_together coils, whose points are interleaved, to rows.
template <class T, class At>
HWY_INLINE void joined_lines_to_rows(const At& at, Index count, Index points, Rows<T> rows) {
  constexpr Index neighbors = HWY_MIN(kernels::coils_together, Index{hn::MaxLanes(Wide<T>())});
  for (Index i = 0; i < points; ++i) {
    T* const row = rows[i];
    Index line = 0;
    for (; line < count; line += neighbors) {
      std::memcpy(row + 2 * line, at(line) + 2 * kernels::coils_together * i, 2 * neighbors * sizeof(T));
    }
    std::fill(row + 2 * line, row + 2 * lanes<T>(), T(0));
  }
}

template <class T, class At>
HWY_INLINE void rows_to_joined_lines(Rows<T> rows, Index points, const At& at, Index count) {
  constexpr Index neighbors = HWY_MIN(kernels::coils_together, Index{hn::MaxLanes(Wide<T>())});
  for (Index i = 0; i < points; ++i) {
    const T* const row = rows[i];
    for (Index line = 0; line < count; line += neighbors) {
      std::memcpy(at(line) + 2 * kernels::coils_together * i, row + 2 * line, 2 * neighbors * sizeof(T));
    }
  }
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

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
