// Array and ArrayRef: dense arrays in C order whose rank is known at run time, on a device.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/core/view.hpp"

namespace whorl {

namespace detail {
[[noreturn]] void throw_slice_out_of_range(const Shape& shape, Index index);
[[noreturn]] void throw_reshape(const Shape& from, const Shape& to);
[[noreturn]] void throw_rank(const Shape& shape, int rank);
[[noreturn]] void throw_not_on_host(Device device);
void fill_elements(const Context& ctx, void* to, Device device, const void* value, std::size_t value_bytes,
                   Index count);
void copy_elements(const Context& ctx, void* to, Device to_device, const void* from, Device from_device,
                   std::size_t bytes);
}  // namespace detail

/// A reference to a dense array with another owner. Functions take their arrays this way. It is cheap to copy.
/// ArrayRef<const T> gives read access only.
template <class T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(T* data, Shape shape, Device device = {}) : data_(data), shape_(std::move(shape)), device_(device) {}

  /// A writable reference converts to a read-only one.
  // NOLINTNEXTLINE(google-explicit-constructor): the same conversion as T* to const T*
  operator ArrayRef<const T>() const requires(!std::is_const_v<T>) { return ArrayRef<const T>(data_, shape_, device_); }

  T* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  Index extent(int axis) const { return shape_[axis]; }
  Index size() const { return shape_.size(); }
  Device device() const { return device_; }

  /// The part at `index` of the first axis. Throws ShapeError if the index is out of range or the rank is 0.
  ArrayRef slice(Index index) const {
    if (rank() == 0 || index < 0 || index >= shape_[0]) detail::throw_slice_out_of_range(shape_, index);
    Shape rest = shape_.tail();
    T* start = data_ + index * rest.size();
    return ArrayRef(start, std::move(rest), device_);
  }

  /// The same elements with other extents. Throws ShapeError when the number of elements differs.
  ArrayRef reshape(Shape shape) const {
    if (shape.size() != size()) detail::throw_reshape(shape_, shape);
    return ArrayRef(data_, std::move(shape), device_);
  }

  /// The elements in memory order. Throws DeviceError if the array is not in host memory.
  std::span<T> span() const {
    if (device_.kind != DeviceKind::cpu) detail::throw_not_on_host(device_);
    return {data_, static_cast<std::size_t>(size())};
  }

  /// A view of compile-time rank. Throws ShapeError when the array has another rank.
  template <int Rank>
  View<T, Rank> view() const {
    if (rank() != Rank) detail::throw_rank(shape_, Rank);
    std::array<Index, Rank> extents{};
    std::copy(shape_.begin(), shape_.end(), extents.begin());
    return View<T, Rank>(data_, extents);
  }

 private:
  T* data_ = nullptr;
  Shape shape_;
  Device device_;
};

/// A dense array that owns its memory. It can be moved; clone() copies it.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  using value_type = T;

  /// No elements; shape [0].
  Array() = default;

  /// Memory from the context's pool on the context's device, not initialized.
  Array(const Context& ctx, Shape shape)
      : memory_(ctx.pool().allocate(static_cast<std::size_t>(shape.size()) * sizeof(T))),
        shape_(std::move(shape)),
        device_(ctx.device()) {}

  Array(Array&& other) noexcept
      : memory_(std::move(other.memory_)), shape_(std::exchange(other.shape_, Shape{0})), device_(other.device_) {}
  Array& operator=(Array&& other) noexcept {
    memory_ = std::move(other.memory_);
    shape_ = std::exchange(other.shape_, Shape{0});
    device_ = other.device_;
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() = default;

  // NOLINTBEGIN(google-explicit-constructor): an owner is passed where a reference is asked for
  operator ArrayRef<T>() { return ref(); }
  operator ArrayRef<const T>() const { return ref(); }
  // NOLINTEND(google-explicit-constructor)
  ArrayRef<T> ref() { return ArrayRef<T>(data(), shape_, device_); }
  ArrayRef<const T> ref() const { return ArrayRef<const T>(data(), shape_, device_); }

  T* data() { return reinterpret_cast<T*>(memory_.get()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.get()); }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  Index extent(int axis) const { return shape_[axis]; }
  Index size() const { return shape_.size(); }
  Device device() const { return device_; }

  ArrayRef<T> slice(Index index) { return ref().slice(index); }
  ArrayRef<const T> slice(Index index) const { return ref().slice(index); }
  std::span<T> span() { return ref().span(); }
  std::span<const T> span() const { return ref().span(); }
  template <int Rank>
  View<T, Rank> view() {
    return ref().template view<Rank>();
  }
  template <int Rank>
  View<const T, Rank> view() const {
    return ref().template view<Rank>();
  }

  /// Another owner of the same memory, which lives until its last owner is destroyed. All owners see the same elements.
  Array share() {
    Array other;
    other.memory_ = memory_;
    other.shape_ = shape_;
    other.device_ = device_;
    return other;
  }

  /// Gives the array other extents. Throws ShapeError when the number of elements differs.
  void reshape(Shape shape) {
    if (shape.size() != size()) detail::throw_reshape(shape_, shape);
    shape_ = std::move(shape);
  }

 private:
  std::shared_ptr<std::byte> memory_;
  Shape shape_{0};
  Device device_;
};

/// Sets every element of a host array to a value.
template <class T>
void fill(ArrayRef<T> array, std::type_identity_t<T> value) {
  std::fill(array.span().begin(), array.span().end(), value);
}

/// Copies the elements of one host array to another. Throws ShapeError when the extents differ.
template <class T>
void copy(ArrayRef<const T> from, ArrayRef<std::type_identity_t<T>> to) {
  if (from.shape() != to.shape()) detail::throw_reshape(from.shape(), to.shape());
  std::copy(from.span().begin(), from.span().end(), to.span().begin());
}

/// Sets every element of an array on the context's device to a value.
template <class T>
void fill(const Context& ctx, ArrayRef<T> array, std::type_identity_t<T> value) {
  detail::fill_elements(ctx, array.data(), array.device(), &value, sizeof(T), array.size());
}

/// Copies the elements of one array to another. Each array is on the context's device or on the host. Throws
/// ShapeError when the extents differ.
template <class T>
void copy(const Context& ctx, ArrayRef<const T> from, ArrayRef<std::type_identity_t<T>> to) {
  if (from.shape() != to.shape()) detail::throw_reshape(from.shape(), to.shape());
  detail::copy_elements(ctx, to.data(), to.device(), from.data(), from.device(),
                        static_cast<std::size_t>(from.size()) * sizeof(T));
}

/// A new array on the context's device with the same elements.
template <class T>
Array<std::remove_const_t<T>> clone(const Context& ctx, ArrayRef<T> from) {
  Array<std::remove_const_t<T>> to(ctx, from.shape());
  copy<std::remove_const_t<T>>(ctx, from, to);
  return to;
}

/// A new array on the host with the same elements.
template <class T>
Array<std::remove_const_t<T>> to_host(const Context& ctx, ArrayRef<T> from) {
  Array<std::remove_const_t<T>> to(ctx.host(), from.shape());
  copy<std::remove_const_t<T>>(ctx, from, to);
  return to;
}

/// A new array of zeros.
template <class T>
Array<T> zeros(const Context& ctx, Shape shape) {
  Array<T> array(ctx, std::move(shape));
  fill<T>(ctx, array, T{});
  return array;
}

}  // namespace whorl
