// Shape: the extents of an array whose rank is known at run time.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "whorl/core/view.hpp"

namespace WHORL_PUBLIC whorl {

/// Extents in C order, the last axis fastest. Extents are not negative.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Index> extents);
  explicit Shape(std::vector<Index> extents);

  int rank() const { return static_cast<int>(extents_.size()); }

  /// Extent of an axis; a negative axis counts from the end (-1 is the last). Throws ShapeError when there is none.
  Index operator[](int axis) const;

  /// Number of elements: the product of the extents, 1 for rank 0. It fits an Index, which the constructor checks.
  Index size() const;

  /// The shape without its first axis. Throws ShapeError for rank 0.
  Shape tail() const;

  /// The shape with one more axis in front.
  Shape with_front(Index extent) const;

  auto begin() const { return extents_.begin(); }
  auto end() const { return extents_.end(); }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<Index> extents_;
};

/// "[12, 256, 256]"
std::string to_string(const Shape& shape);

}  // namespace whorl
