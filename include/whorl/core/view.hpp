// View: a typed window on memory with extents and strides, of a rank known at compile time. It owns nothing, is
// trivially copyable and may be passed to a kernel by value. Member names are those of std::mdspan (C++23).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Counts and positions of elements. Signed, so that differences are safe.
using Index = std::int64_t;

template <class T, int Rank>
class View {
 public:
  using element_type = T;

  View() = default;

  /// Dense view in C order: the last axis has stride 1.
  View(T* data, const std::array<Index, Rank>& extents) : data_(data), extents_(extents) {
    Index stride = 1;
    for (int axis = Rank - 1; axis >= 0; --axis) {
      strides_[axis] = stride;
      stride *= extents_[axis];
    }
  }

  View(T* data, const std::array<Index, Rank>& extents, const std::array<Index, Rank>& strides)
      : data_(data), extents_(extents), strides_(strides) {}

  static constexpr int rank() { return Rank; }
  T* data_handle() const { return data_; }
  Index extent(int axis) const { return extents_[axis]; }
  Index stride(int axis) const { return strides_[axis]; }

  Index size() const {
    Index count = 1;
    for (const Index extent : extents_) count *= extent;
    return count;
  }

  /// Element at the given position. The position is not checked.
  template <class... Position>
  requires(sizeof...(Position) == Rank) T& operator()(Position... position) const {
    const std::array<Index, Rank> where{static_cast<Index>(position)...};
    Index offset = 0;
    for (int axis = 0; axis < Rank; ++axis) offset += where[axis] * strides_[axis];
    return data_[offset];
  }

 private:
  T* data_ = nullptr;
  std::array<Index, Rank> extents_{};
  std::array<Index, Rank> strides_{};
};

}  // namespace whorl
