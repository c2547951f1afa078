// Arrays of Python as arrays of whorl, and the other way round.
//
// Arrays come in by DLPack or by the buffer protocol, without a copy where they lie in C order and have the type that is
// asked for. Results have the framework of the input: NumPy, PyTorch, CuPy or JAX. On the host they lie in memory of the
// context's pool; on a GPU in memory of the framework, whose allocator knows the streams that use it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frameworks.hpp"
#include "run.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/precision.hpp"

namespace whorl::python {

namespace nb = nanobind;

/// Whether shapes differ in axes of length 1 alone.
bool same_but_for_ones(const Shape& a, const Shape& b);

/// "float32", "complex128", ... of a DLPack type; throws TypeError for a type that no framework shares by such a name.
std::string dtype_name(nb::dlpack::dtype type);
template <class T>
std::string dtype_name() {
  return dtype_name(nb::dtype<T>());
}

/// An array of the caller for reading, which this object keeps alive.
class Input {
 public:
  /// `name`: of the argument, in messages. Lists and numbers become arrays of NumPy. On a GPU it waits for the work of
  /// the framework's current stream, unless that is the stream of `ctx`.
  Input(nb::handle object, const char* name, const Context* ctx = nullptr);

  /// True for an array on a GPU whose framework works in the context's stream.
  bool is_ordered() const { return is_ordered_; }

  nb::dlpack::dtype dtype() const { return array_.dtype(); }
  bool is_complex() const { return dtype().code == static_cast<int>(nb::dlpack::dtype_code::Complex); }
  /// True if its numbers need double precision.
  bool is_double() const { return dtype().bits == (is_complex() ? 128 : 64); }
  Framework framework() const { return framework_; }
  Device device() const;
  Shape shape() const;
  int rank() const { return static_cast<int>(array_.ndim()); }

  /// Its elements as T, in C order: the array itself, or a copy that this object keeps. Where digits are lost there is a
  /// warning (PrecisionWarning); complex numbers do not become real: TypeError.
  template <class T>
  ArrayRef<const T> as() {
    convert_to(nb::dtype<T>());
    return ArrayRef<const T>(static_cast<const T*>(data()), shape(), device());
  }
  /// Its elements as T without the warning, for numbers of any width, which are rounded; complex ones do not become real.
  template <class T>
  ArrayRef<const T> rounded_to() {
    convert_to(nb::dtype<T>(), true);
    return ArrayRef<const T>(static_cast<const T*>(data()), shape(), device());
  }
  /// Its elements as an array that shares the caller's memory and keeps it alive.
  template <class T>
  Array<T> shared() {
    const ArrayRef<const T> ref = as<T>();
    if (ref.size() == 0) return Array<T>::adopt(std::shared_ptr<T>(), ref.shape(), ref.device());
    return Array<T>::adopt(std::shared_ptr<T>(keeper(), const_cast<T*>(ref.data())), ref.shape(), ref.device());
  }

 private:
  const void* data() const;
  void convert_to(nb::dlpack::dtype type, bool may_round = false);
  bool is_c_order() const;
  void wait_for_producer();
  std::shared_ptr<void> keeper() const;

  nb::object object_;
  nb::ndarray<nb::ro> array_;
  const char* name_;
  Framework framework_;
  const Context* ctx_;
  bool is_ordered_ = false;
  bool has_type_ = true;  // not numbers of a list, which have the precision that they get
};

/// A result of a given shape on a context's device, in the caller's framework, or in an array that the caller gives.
class Output {
 public:
  /// `out`: None, or an array of that shape, type and device in C order. Throws ShapeError, TypeError, DeviceError.
  Output(const Context& ctx, Framework framework, const Shape& shape, nb::dlpack::dtype type, nb::handle out,
         const char* name);

  template <class T>
  ArrayRef<T> as() const {
    return ArrayRef<T>(static_cast<T*>(data_), shape_, device_);
  }
  /// The Python object, when the work is done.
  nb::object take() { return std::move(object_); }

 private:
  nb::object object_;
  void* data_ = nullptr;
  Shape shape_;
  Device device_;
};

namespace detail {
nb::object exported(void* data, const Shape& shape, Device device, nb::dlpack::dtype type, nb::object owner,
                    Framework framework, bool read_only);
}  // namespace detail

/// An array that whorl owns as an object of a framework, without a copy.
template <class T>
nb::object to_python(Array<T> array, Framework framework = Framework::numpy) {
  auto owner = std::make_unique<Array<T>>(std::move(array));
  T* data = owner->data();
  const Shape shape = owner->shape();
  const Device device = owner->device();
  const nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<Array<T>*>(p); });
  return detail::exported(data, shape, device, nb::dtype<T>(), capsule, framework, false);
}

/// A copy on the host, rounded to T.
template <class T>
Array<T> host_copy(Input& input) {
  const ArrayRef<const T> values = input.rounded_to<T>();
  return run(context_of(nb::none(), values.device()), [&](const Context& ctx) { return to_host<T>(ctx, values); });
}

/// On the host: the caller's memory, or a copy of what lies on a GPU.
template <class T>
Array<T> host_array(Input input) {
  if (input.device().kind == DeviceKind::cpu) return input.shared<T>();
  input.as<T>();  // refuses what rounding would change
  return host_copy<T>(input);
}

/// A result of a function of whorl in the caller's framework. On a GPU it is copied into memory of CuPy or PyTorch: they
/// may still read an array when it is released, and whorl's pool would not know.
template <class T>
nb::object result_of(const Context& ctx, Array<T> array, Framework framework) {
  if (array.device().kind == DeviceKind::cpu || framework == Framework::jax) {
    return to_python(std::move(array), framework);
  }
  Output output(ctx, framework, array.shape(), nb::dtype<T>(), nb::none(), "the result");
  const ArrayRef<T> to = output.as<T>();
  run(ctx, [&](const Context& c) { copy<T>(c, array, to); });
  return output.take();
}

/// A part of an object of whorl, which the result keeps alive. It can be written unless `read_only`.
template <class T>
nb::object view_of(ArrayRef<const T> array, nb::handle owner, bool read_only = false) {
  return detail::exported(const_cast<T*>(array.data()), array.shape(), array.device(), nb::dtype<T>(),
                          nb::borrow(owner), Framework::numpy, read_only);
}

/// Numbers from Python on the host: a sequence or an array of one axis. Throws ShapeError, TypeError.
std::vector<double> numbers_from(nb::handle object, const char* name);

namespace detail {
template <class Owner, class Member>
Owner owner_of(Member Owner::*);
}  // namespace detail

/// The member of a member ..., for properties: inner<&JobPlan::plan, &ReconPlan::bytes>.
template <auto first, auto... others>
const auto& inner(const decltype(detail::owner_of(first))& owner) {
  if constexpr (sizeof...(others) == 0) {
    return owner.*first;
  } else {
    return inner<others...>(owner.*first);
  }
}

/// A property: an array of an object of whorl or of its members, not copied; None where it has no elements.
template <auto... path, class Owner>
void def_array(nb::class_<Owner>& type, const char* name, const char* text) {
  // As nanobind expects, the text of a signature lives as long as the program.
  const auto& signature = *new std::string(std::string("def ") + name + "(self) -> numpy.ndarray | None");
  type.def_prop_ro(
      name,
      [](nb::handle self) -> nb::object {
        const auto& array = inner<path...>(nb::cast<const Owner&>(self));
        return array.size() > 0 ? view_of(array.ref(), self) : nb::none();
      },
      nb::sig(signature.c_str()), text);
}

/// A shape from Python: an integer or a sequence of integers.
Shape shape_from(nb::handle object, const char* name);
nb::tuple to_tuple(const Shape& shape);
/// x, y, z from image_shape ((z,) y, x); z is 1 where it is not given.
std::array<Index, 3> matrix_from(nb::handle image_shape);
/// An array of the wanted shape, of one in which axes of length 1 are left out or added. Throws ShapeError, naming the array.
template <class T>
Array<T> reshaped(Array<T> array, const Shape& wanted, const char* name) {
  if (!same_but_for_ones(array.shape(), wanted)) {
    throw ShapeError(std::string(name) + " has shape " + to_string(array.shape()) + ", expected " + to_string(wanted));
  }
  array.reshape(wanted);
  return array;
}

/// True for "complex128" and "float64" (also numpy.dtype), false for "complex64" and "float32".
bool is_double_dtype(nb::handle dtype);
nb::object numpy_dtype(bool is_double, bool is_complex);

/// Calls f(Real{}) with float or double.
template <class Function>
decltype(auto) with_precision(bool is_double, const Function& f) {
  return is_double ? f(double{}) : f(float{});
}

}  // namespace whorl::python
