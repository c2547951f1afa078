// Array and ArrayRef: dense arrays in C order whose rank is known at run time, on a device.
//
// An Array owns memory, or refers to that of the caller. ArrayRef<T> and ArrayRef<const T> refer to an array with
// another owner, which must outlive them. Array<T> and ArrayRef<T> are kinds of ArrayRef<const T>. So a function that
// reads takes ArrayRef<const T>, and the compiler finds T from any of the three: magnitude(ctx, array).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/precision.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/core/view.hpp"

namespace WHORL_PUBLIC whorl {

namespace detail {
[[noreturn]] void throw_no_memory(const Shape& shape);
[[noreturn]] void throw_slice_out_of_range(const Shape& shape, Index index);
[[noreturn]] void throw_range_out_of_range(const Shape& shape, Index first, Index last);
[[noreturn]] void throw_reshape(const Shape& from, const Shape& to);
[[noreturn]] void throw_rank(const Shape& shape, int rank);
[[noreturn]] void throw_not_on_host(Device device);
void fill_elements(const Context& ctx, void* to, Device device, const void* value, std::size_t value_bytes,
                   Index count);
bool is_same_memory(const void* from, Device from_device, const void* to, Device to_device, std::size_t bytes);
void copy_elements(const Context& ctx, void* to, Device to_device, const void* from, Device from_device,
                   std::size_t bytes);
}  // namespace detail

template <class T>
class Array;

template <class T>
class ArrayRef;

/// A reference to a dense array with another owner, for reading. Functions take their inputs this way. It is cheap to
/// copy. The owner must outlive it; several threads may read through it at once.
template <class T>
class ArrayRef<const T> {
 public:
  /// No elements; shape [0].
  ArrayRef() = default;
  /// Throws ValueError if there are elements but no memory.
  ArrayRef(const T* data, Shape shape, Device device = {}) : data_(data), shape_(std::move(shape)), device_(device) {
    if (data_ == nullptr && shape_.size() > 0) detail::throw_no_memory(shape_);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): an owner is passed where a reference is asked for
  ArrayRef(const Array<T>& array WHORL_LIFETIME_BOUND) : ArrayRef(static_cast<const ArrayRef&>(array)) {}
  // No moves: the owner is an ArrayRef too, and must keep its shape when it is passed on.
  ArrayRef(const ArrayRef&) = default;
  ArrayRef& operator=(const ArrayRef&) = default;
  ~ArrayRef() = default;

  const T* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  Index extent(int axis) const { return shape_[axis]; }
  Index size() const { return shape_.size(); }
  Device device() const { return device_; }

  /// The part at `index` of the first axis. Throws ShapeError if the index is out of range or the rank is 0.
  ArrayRef slice(Index index) const {
    if (rank() == 0 || index < 0 || index >= shape_[0]) detail::throw_slice_out_of_range(shape_, index);
    Shape rest = shape_.tail();
    const T* start = data_ + index * rest.size();
    return ArrayRef(start, std::move(rest), device_);
  }

  /// The parts [first, last) of the first axis, which stays. Throws ShapeError if they are out of range.
  ArrayRef range(Index first, Index last) const {
    if (rank() == 0 || first < 0 || last < first || last > shape_[0]) {
      detail::throw_range_out_of_range(shape_, first, last);
    }
    const Shape rest = shape_.tail();
    return ArrayRef(data_ + first * rest.size(), rest.with_front(last - first), device_);
  }

  /// These elements with other extents. Throws ShapeError when the number of elements differs.
  ArrayRef reshape(Shape shape) const {
    if (shape.size() != size()) detail::throw_reshape(shape_, shape);
    return ArrayRef(data_, std::move(shape), device_);
  }

  /// The elements in memory order. Throws DeviceError if the array is not in host memory.
  std::span<const T> span() const {
    if (device_.kind != DeviceKind::cpu) detail::throw_not_on_host(device_);
    return {data_, static_cast<std::size_t>(size())};
  }

  /// A view of compile-time rank. Throws ShapeError when the array has another rank.
  template <int Rank>
  View<const T, Rank> view() const {
    return View<const T, Rank>(data_, extents<Rank>());
  }

 protected:
  template <int Rank>
  std::array<Index, Rank> extents() const {
    if (rank() != Rank) detail::throw_rank(shape_, Rank);
    std::array<Index, Rank> extents{};
    std::copy(shape_.begin(), shape_.end(), extents.begin());
    return extents;
  }

 private:
  friend class Array<T>;

  const T* data_ = nullptr;
  Shape shape_{0};
  Device device_;
};

/// A reference to a dense array with another owner, for reading and writing. Functions take their outputs this way. The
/// owner must outlive it.
template <class T>
class ArrayRef : public ArrayRef<const T> {
 public:
  /// No elements; shape [0].
  ArrayRef() = default;
  /// Throws ValueError if there are elements but no memory.
  ArrayRef(T* data, Shape shape, Device device = {}) : ArrayRef<const T>(data, std::move(shape), device) {}

  T* data() const { return const_cast<T*>(ArrayRef<const T>::data()); }

  // Work like the members of ArrayRef<const T>.
  ArrayRef slice(Index index) const { return writable(ArrayRef<const T>::slice(index)); }
  ArrayRef range(Index first, Index last) const { return writable(ArrayRef<const T>::range(first, last)); }
  ArrayRef reshape(Shape shape) const { return writable(ArrayRef<const T>::reshape(std::move(shape))); }
  std::span<T> span() const { return {data(), ArrayRef<const T>::span().size()}; }
  template <int Rank>
  View<T, Rank> view() const {
    return View<T, Rank>(data(), this->template extents<Rank>());
  }

 private:
  friend class Array<T>;

  // `part` belongs to this reference or to an array of T, so its elements can be written.
  static ArrayRef writable(const ArrayRef<const T>& part) {
    return ArrayRef(const_cast<T*>(part.data()), part.shape(), part.device());
  }
};

/// The type of a parameter that takes anything that converts to ArrayRef<T> (or ArrayRef<const T>). The compiler does
/// not deduce T from it, but from another argument.
template <class T>
using ConvertedRef = std::type_identity_t<ArrayRef<T>>;

/// A dense array that owns its memory. It can be moved; clone() copies it. Only an array with a name gives references
/// to itself and to its parts: references to a temporary array would outlive it.
///
/// Threads  several may read an array, or write different elements, at once
template <class T>
class Array : public ArrayRef<const T> {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);
  using Base = ArrayRef<const T>;

 public:
  using value_type = T;

  /// No elements; shape [0].
  Array() = default;

  /// Memory from the context's pool on the context's device, not initialized.
  Array(const Context& ctx, Shape shape) {
    auto memory = ctx.pool().allocate(static_cast<std::size_t>(shape.size()) * sizeof(T));
    Base::data_ = reinterpret_cast<const T*>(memory.get());
    Base::shape_ = std::move(shape);
    Base::device_ = ctx.device();
    owner_ = std::move(memory);
  }

  /// An array in existing memory, in C order on `device`. The pointer's deleter releases the memory when the last owner
  /// is destroyed. Throws ValueError if there are elements but no memory.
  static Array adopt(std::shared_ptr<T> memory, Shape shape, Device device = {}) {
    Array array;
    static_cast<Base&>(array) = Base(memory.get(), std::move(shape), device);
    array.owner_ = std::move(memory);
    return array;
  }
  /// An array in existing memory, of which deleter(memory) is called when the last owner is destroyed. On a GPU, work on
  /// the array may still be queued then: wait for it first (Context::synchronize).
  template <std::invocable<T*> Deleter>
  static Array adopt(T* memory, Deleter deleter, Shape shape, Device device = {}) {
    return adopt(std::shared_ptr<T>(memory, std::move(deleter)), std::move(shape), device);
  }

  /// An array in memory of the caller, who keeps it for as long as this array and those that share it live. For members
  /// of Scan and Trajectory, and for operators, which take arrays by value.
  static Array refer_to(ArrayRef<T> memory) {
    Array array;
    static_cast<Base&>(array) = memory;
    return array;
  }

  Array(Array&& other) noexcept : Base(other), owner_(std::move(other.owner_)) { static_cast<Base&>(other) = Base(); }
  Array& operator=(Array&& other) noexcept {
    if (this == &other) return *this;
    static_cast<Base&>(*this) = static_cast<const Base&>(other);
    static_cast<Base&>(other) = Base();
    owner_ = std::move(other.owner_);
    return *this;
  }
  Array(const Array&) = delete;  // clone() copies the elements, share() the ownership
  Array& operator=(const Array&) = delete;
  ~Array() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): an owner is passed where a reference is asked for
  operator ArrayRef<T>() & WHORL_LIFETIME_BOUND { return ref(); }
  ArrayRef<T> ref() & WHORL_LIFETIME_BOUND { return ArrayRef<T>::writable(*this); }
  ArrayRef<const T> ref() const& WHORL_LIFETIME_BOUND { return *this; }
  void ref() const&& = delete;  // gone at the end of the line: give the array a name

  T* data() { return const_cast<T*>(Base::data_); }
  const T* data() const { return Base::data_; }

  ArrayRef<T> slice(Index index) & WHORL_LIFETIME_BOUND { return ref().slice(index); }
  ArrayRef<const T> slice(Index index) const& WHORL_LIFETIME_BOUND { return Base::slice(index); }
  void slice(Index index) const&& = delete;  // gone at the end of the line: give the array a name
  ArrayRef<T> range(Index first, Index last) & WHORL_LIFETIME_BOUND { return ref().range(first, last); }
  ArrayRef<const T> range(Index first, Index last) const& WHORL_LIFETIME_BOUND { return Base::range(first, last); }
  void range(Index first, Index last) const&& = delete;  // gone at the end of the line: give the array a name
  std::span<T> span() & WHORL_LIFETIME_BOUND { return ref().span(); }
  std::span<const T> span() const& WHORL_LIFETIME_BOUND { return Base::span(); }
  void span() const&& = delete;  // gone at the end of the line: give the array a name
  template <int Rank>
      View<T, Rank> view() & WHORL_LIFETIME_BOUND {
    return ref().template view<Rank>();
  }
  template <int Rank>
  View<const T, Rank> view() const& WHORL_LIFETIME_BOUND {
    return Base::template view<Rank>();
  }
  template <int Rank>
  void view() const&& = delete;  // gone at the end of the line: give the array a name

  /// Another owner of the same memory, which lives until its last owner is destroyed. All owners see the same elements.
  Array share() {
    Array other;
    static_cast<Base&>(other) = static_cast<const Base&>(*this);
    other.owner_ = owner_;
    return other;
  }

  /// Gives the array other extents. Throws ShapeError when the number of elements differs.
  void reshape(Shape shape) {
    if (shape.size() != this->size()) detail::throw_reshape(Base::shape_, shape);
    Base::shape_ = std::move(shape);
  }

 private:
  std::shared_ptr<void> owner_;  // none: memory of the caller
};

/// True if the memory of the two arrays overlaps.
template <class T, class U>
bool overlap(ArrayRef<const T> a, ArrayRef<const U> b) {
  const std::less<const void*> before;
  return a.device() == b.device() && a.size() > 0 && b.size() > 0 && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

/// Sets every element of a host array to a value.
template <class T>
requires(!std::is_const_v<T>) void fill(ArrayRef<T> array, std::type_identity_t<T> value) {
  std::fill(array.span().begin(), array.span().end(), value);
}
template <class T>
void fill(Array<T>& array, std::type_identity_t<T> value) {
  fill(array.ref(), value);
}

/// Copies the elements of one host array to another. Throws ShapeError when the extents differ, ValueError when the
/// arrays overlap in memory and are not the same.
template <class T>
void copy(ArrayRef<const T> from, ConvertedRef<T> to) {
  if (from.shape() != to.shape()) detail::throw_reshape(from.shape(), to.shape());
  if (detail::is_same_memory(from.data(), from.device(), to.data(), to.device(), from.span().size_bytes())) return;
  std::copy(from.span().begin(), from.span().end(), to.span().begin());
}

/// Sets every element of an array on the context's device to a value.
template <class T>
requires(!std::is_const_v<T>) void fill(const Context& ctx, ArrayRef<T> array, std::type_identity_t<T> value) {
  detail::fill_elements(ctx, array.data(), array.device(), &value, sizeof(T), array.size());
}
template <class T>
void fill(const Context& ctx, Array<T>& array, std::type_identity_t<T> value) {
  fill(ctx, array.ref(), value);
}

/// Copies the elements of one array to another. Each array is on the context's device or on the host. Throws
/// ShapeError when the extents differ, ValueError when the arrays overlap in memory and are not the same.
template <class T>
void copy(const Context& ctx, ArrayRef<const T> from, ConvertedRef<T> to) {
  if (from.shape() != to.shape()) detail::throw_reshape(from.shape(), to.shape());
  detail::copy_elements(ctx, to.data(), to.device(), from.data(), from.device(),
                        static_cast<std::size_t>(from.size()) * sizeof(T));
}

/// A new array on the context's device with the same elements.
template <class T>
Array<std::remove_const_t<T>> clone(const Context& ctx, ArrayRef<const T> from) {
  Array<std::remove_const_t<T>> to(ctx, from.shape());
  copy<std::remove_const_t<T>>(ctx, from, to);
  return to;
}

/// A new array on the host with the same elements.
template <class T>
Array<std::remove_const_t<T>> to_host(const Context& ctx, ArrayRef<const T> from) {
  Array<std::remove_const_t<T>> to(ctx.host(), from.shape());
  copy<std::remove_const_t<T>>(ctx, from, to);
  return to;
}

/// A new array of zeros.
template <class T>
Array<T> zeros(const Context& ctx, Shape shape) {
  Array<T> array(ctx, std::move(shape));
  fill(ctx, array, T{});
  return array;
}

}  // namespace whorl
