#include "whorl/core/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "whorl/core/array.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Shape::Shape(std::initializer_list<Index> extents) : Shape(std::vector<Index>(extents)) {}

Shape::Shape(std::vector<Index> extents) : extents_(std::move(extents)) {
  // The limit leaves room for the bytes of the largest element (16) in an Index.
  constexpr Index limit = std::numeric_limits<Index>::max() / 16;
  Index count = 1;
  for (const Index extent : extents_) {
    if (extent < 0) throw ShapeError(fmt::format("shape {}: an extent is negative", to_string(*this)));
    if (extent > 0 && count > limit / extent) {
      throw ShapeError(fmt::format("shape {}: the number of elements does not fit 64 bits", to_string(*this)));
    }
    count *= extent;
  }
}

Index Shape::operator[](int axis) const {
  const int wanted = axis < 0 ? axis + rank() : axis;
  if (wanted < 0 || wanted >= rank()) {
    throw ShapeError(fmt::format("shape {} has no axis {}", to_string(*this), axis));
  }
  return extents_[static_cast<std::size_t>(wanted)];
}

Index Shape::size() const {
  Index count = 1;
  for (const Index extent : extents_) count *= extent;
  return count;
}

Shape Shape::tail() const {
  if (extents_.empty()) throw ShapeError("a shape of rank 0 has no first axis to drop");
  return Shape(std::vector<Index>(extents_.begin() + 1, extents_.end()));
}

Shape Shape::with_front(Index extent) const {
  std::vector<Index> extents{extent};
  extents.insert(extents.end(), extents_.begin(), extents_.end());
  return Shape(std::move(extents));
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); }

namespace detail {

void throw_slice_out_of_range(const Shape& shape, Index index) {
  throw ShapeError(fmt::format("slice {} of an array of shape {}: out of range", index, to_string(shape)));
}

void throw_range_out_of_range(const Shape& shape, Index first, Index last) {
  throw ShapeError(fmt::format("range {} to {} of an array of shape {}: out of range", first, last, to_string(shape)));
}

void throw_no_memory(const Shape& shape) {
  throw ValueError(
      fmt::format("array: no memory (null) for shape {}, expected the address of its elements", to_string(shape)));
}

void throw_reshape(const Shape& from, const Shape& to) {
  throw ShapeError(fmt::format("an array of shape {} does not fit shape {}", to_string(from), to_string(to)));
}

void throw_rank(const Shape& shape, int rank) {
  throw ShapeError(fmt::format("expected an array of rank {}, got shape {}", rank, to_string(shape)));
}

void throw_not_on_host(Device device) {
  throw DeviceError(
      fmt::format("the array lies on {}, the operation reads host memory: copy it first", to_string(device)));
}

}  // namespace detail
}  // namespace whorl
