#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::python {

namespace {

Device device_from(int type, int id) {
  if (type == dl_cuda || type == dl_cuda_managed) return {DeviceKind::cuda, id};
  return {};
}

struct Kind {
  bool is_complex;
  bool is_float;
  int digits;  // of the binary fraction, or of an integer
};

Kind kind_of(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  switch (static_cast<Code>(type.code)) {
    case Code::Complex:
      return {true, true, type.bits == 128 ? 53 : 24};
    case Code::Float:
      return {false, true, type.bits == 64 ? 53 : type.bits == 32 ? 24 : 11};
    case Code::Bfloat:
      return {false, true, 8};
    case Code::Bool:
      return {false, false, 1};
    default:
      return {false, false, type.bits};
  }
}

bool keeps_all(nb::dlpack::dtype from, nb::dlpack::dtype to) {
  const Kind a = kind_of(from);
  const Kind b = kind_of(to);
  if (a.is_complex && !b.is_complex) return false;
  if (a.is_float && !b.is_float) return false;
  return a.digits <= b.digits;
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

}  // namespace

std::string dtype_name(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const std::string bits = std::to_string(type.bits);
  switch (static_cast<Code>(type.code)) {
    case Code::Complex:
      return "complex" + bits;
    case Code::Float:
      return "float" + bits;
    case Code::Bfloat:
      return "bfloat" + bits;
    case Code::Int:
      return "int" + bits;
    case Code::UInt:
      return "uint" + bits;
    case Code::Bool:
      return "bool";
    default:
      throw nb::type_error("an array of numbers is expected");
  }
}

namespace {

// As torch's own numpy() does: the result would not know where it came from.
void refuse_lost_gradient(nb::handle tensor, const char* name) {
  if (!nb::hasattr(tensor, "requires_grad") || !nb::cast<bool>(tensor.attr("requires_grad"))) return;
  if (!nb::cast<bool>(module("torch").attr("is_grad_enabled")())) return;
  const std::string text = std::string(name) +
                           " requires a gradient, which is lost here; whorl.torch has functions with "
                           "gradients (whorl.torch.apply(A, x)), or pass " +
                           name + ".detach()";
  throw nb::type_error(text.c_str());
}

}  // namespace

Input::Input(nb::handle object, const char* name, const Context* ctx)
    : object_(nb::borrow(object)), name_(name), framework_(framework_of(object)), ctx_(ctx) {
  if (framework_ == Framework::pytorch) refuse_lost_gradient(object, name);
  if (!view_array(object_, framework_, array_)) {
    if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::float_>(object) ||
        nb::isinstance<nb::int_>(object) || framework_ == Framework::numpy) {
      has_type_ = nb::hasattr(object, "dtype");
      object_ = module("numpy").attr("asarray")(object);
    }
    if (!nb::try_cast(object_, array_, false)) {
      const std::string elements = nb::hasattr(object, "dtype") ? " of " + text_of(object.attr("dtype")) : "";
      const std::string text =
          std::string(name) + " is a " + text_of(object.type()) + elements +
          ", expected an array of numbers in this machine's byte order (NumPy, PyTorch, CuPy, JAX, DLPack or a "
          "buffer)";
      throw nb::type_error(text.c_str());
    }
  }
  if (device().kind != DeviceKind::cpu) wait_for_producer();
}

void Input::wait_for_producer() {
  const auto [stream, handle] = stream_of(framework_, device().index);
  if (stream.is_none()) return;
  is_ordered_ = ctx_ != nullptr && ctx_->device() == device() && ctx_->stream() == reinterpret_cast<void*>(handle);
  if (!is_ordered_) stream.attr("synchronize")();
}

Device Input::device() const { return device_from(array_.device_type(), array_.device_id()); }

Shape Input::shape() const { return Shape(std::vector<Index>(array_.shape_ptr(), array_.shape_ptr() + array_.ndim())); }

const void* Input::data() const {
  // Arrays without elements may have no memory.
  return array_.size() == 0 ? nullptr : array_.data();
}

namespace {

// How many frames of Python lie between the line of the caller and here: a warning is about that line, not one of the package.
int frames_of_package() {
  int level = 1;
  nb::object frame = module("sys").attr("_getframe")();
  for (; !frame.is_none(); frame = frame.attr("f_back"), ++level) {
    const nb::object name = frame.attr("f_globals").attr("get")("__name__");
    if (!nb::cast<std::string>(nb::str(name)).starts_with("whorl.")) break;
  }
  return level;
}

void warn_of_rounding(const char* name, nb::dlpack::dtype from, const std::string& to) {
  const std::string text = std::string(name) + " is rounded from " + dtype_name(from) + " to " + to +
                           "; convert it, or compute in double precision where dtype can be chosen";
  const nb::object category = module("whorl._core").attr("PrecisionWarning");
  if (PyErr_WarnEx(category.ptr(), text.c_str(), frames_of_package()) != 0) throw nb::python_error();
}

}  // namespace

bool Input::is_c_order() const {
  Index step = 1;
  for (std::size_t axis = array_.ndim(); axis-- > 0;) {
    if (array_.shape(axis) != 1 && array_.stride(axis) != step) return array_.size() == 0;
    step *= static_cast<Index>(array_.shape(axis));
  }
  return true;
}

void Input::convert_to(nb::dlpack::dtype type, bool may_round) {
  if (array_.dtype() == type && is_c_order()) return;
  const std::string wanted = dtype_name(type);
  const Kind from = kind_of(array_.dtype());
  if ((from.is_complex && !kind_of(type).is_complex) || (from.is_float && !kind_of(type).is_float)) {
    const std::string text = std::string(name_) + " has elements of type " + dtype_name(array_.dtype()) +
                             ", expected " + wanted + " or what can be rounded to it; convert it (in NumPy: " + name_ +
                             ".real or .astype('" + wanted + "'))";
    throw nb::type_error(text.c_str());
  }
  if (!may_round && has_type_ && from.is_float && !keeps_all(array_.dtype(), type))
    warn_of_rounding(name_, array_.dtype(), wanted);
  object_ = converted(object_, framework_, wanted);
  array_ = nb::cast<nb::ndarray<nb::ro>>(object_, false);
  if (device().kind != DeviceKind::cpu) wait_for_producer();
}

std::shared_ptr<void> Input::keeper() const {
  // The last owner may be any thread, and may hold no GIL.
  auto* kept = new nb::ndarray<nb::ro>(array_);
  return {static_cast<void*>(kept), [](void* p) {
            const nb::gil_scoped_acquire gil;
            delete static_cast<nb::ndarray<nb::ro>*>(p);
          }};
}

namespace detail {

nb::object exported(void* data, const Shape& shape, Device device, nb::dlpack::dtype type, nb::object owner,
                    Framework framework, bool read_only) {
  const std::vector<std::size_t> extents(shape.begin(), shape.end());
  const int kind = device.kind == DeviceKind::cpu ? nb::device::cpu::value : dl_cuda;
  const auto make = [&](auto which) {
    using Which = decltype(which);
    if (read_only) {
      const nb::ndarray<Which, nb::ro> array(data, extents.size(), extents.data(), owner, nullptr, type, kind,
                                             device.index, 'C');
      return nb::cast(array);
    }
    const nb::ndarray<Which> array(data, extents.size(), extents.data(), owner, nullptr, type, kind, device.index, 'C');
    return nb::cast(array);
  };
  switch (framework) {
    case Framework::pytorch:
      return make(nb::pytorch{});
    case Framework::jax:
      return make(nb::jax{});
    case Framework::cupy:
      return make(nb::cupy{});
    default:
      // NumPy has no arrays on a GPU: CuPy's, where it is installed, are read by all frameworks.
      if (device.kind == DeviceKind::cuda) return make(nb::cupy{});
      return make(nb::numpy{});
  }
}

}  // namespace detail

namespace {

template <class T>
nb::object new_host_array(const Context& ctx, Framework framework, const Shape& shape, void*& data) {
  Array<T> array(ctx, shape);
  data = array.data();
  return to_python(std::move(array), framework);
}

nb::object new_array(const Context& ctx, Framework framework, const Shape& shape, nb::dlpack::dtype type, void*& data) {
  if (type == nb::dtype<std::complex<float>>()) return new_host_array<std::complex<float>>(ctx, framework, shape, data);
  if (type == nb::dtype<std::complex<double>>()) {
    return new_host_array<std::complex<double>>(ctx, framework, shape, data);
  }
  if (type == nb::dtype<double>()) return new_host_array<double>(ctx, framework, shape, data);
  return new_host_array<float>(ctx, framework, shape, data);
}

}  // namespace

Output::Output(const Context& ctx, Framework framework, const Shape& shape, nb::dlpack::dtype type, nb::handle out,
               const char* name)
    : shape_(shape), device_(ctx.device()) {
  const bool own_memory = ctx.device().kind == DeviceKind::cuda && framework != Framework::jax;
  if (out.is_none() && !own_memory) {
    object_ = new_array(ctx, framework, shape, type, data_);
    return;
  }
  object_ =
      out.is_none() ? empty_on_gpu(framework, to_tuple(shape), dtype_name(type), ctx.device().index) : nb::borrow(out);
  nb::ndarray<> array;
  if (!view_array(object_, framework_of(object_), array)) {
    throw nb::type_error((std::string(name) + " is not an array that can be written").c_str());
  }
  const Shape given(std::vector<Index>(array.shape_ptr(), array.shape_ptr() + array.ndim()));
  if (given != shape) {
    throw ShapeError(std::string(name) + " has shape " + to_string(given) + ", expected " + to_string(shape));
  }
  if (!(array.dtype() == type)) {
    throw nb::type_error(
        (std::string(name) + " has elements of type " + dtype_name(array.dtype()) + ", expected " + dtype_name(type))
            .c_str());
  }
  if (!(device_from(array.device_type(), array.device_id()) == device_)) {
    throw DeviceError(std::string(name) + " is not on " + to_string(device_));
  }
  Index step = 1;
  for (std::size_t axis = array.ndim(); axis-- > 0;) {
    if (array.shape(axis) != 1 && array.stride(axis) != step && array.size() > 0) {
      throw ValueError(std::string(name) + " is not in C order; pass an array without gaps");
    }
    step *= static_cast<Index>(array.shape(axis));
  }
  data_ = array.data();
}

std::vector<double> numbers_from(nb::handle object, const char* name) {
  Input input(object, name);
  const Array<double> numbers = host_copy<double>(input);
  if (numbers.rank() != 1) {
    throw ShapeError(std::string(name) + " has shape " + to_string(numbers.shape()) + ", expected one axis");
  }
  return {numbers.span().begin(), numbers.span().end()};
}

namespace {

// 16.5 is none, and 16.0 neither.
Index whole_number(nb::handle object) {
  const auto number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  return nb::cast<Index>(number);
}

}  // namespace

Shape shape_from(nb::handle object, const char* name) {
  std::vector<Index> extents;
  try {
    if (nb::isinstance<nb::sequence>(object) || nb::hasattr(object, "__iter__")) {
      for (const nb::handle extent : object) extents.push_back(whole_number(extent));
    } else {
      extents.push_back(whole_number(object));
    }
  } catch (const std::exception&) {
    throw nb::type_error((std::string(name) + " is " + text_of(object) + ", expected whole numbers").c_str());
  }
  for (const Index extent : extents) {
    if (extent < 0) throw ShapeError(std::string(name) + " has an extent below 0");
  }
  return Shape(std::move(extents));
}

nb::tuple to_tuple(const Shape& shape) {
  nb::list list;
  for (const Index extent : shape) list.append(extent);
  return nb::tuple(list);
}

std::array<Index, 3> matrix_from(nb::handle image_shape) {
  const Shape shape = shape_from(image_shape, "image_shape");
  if (shape.rank() < 2 || shape.rank() > 3) {
    throw ShapeError("image_shape has " + std::to_string(shape.rank()) + " extents, expected (y, x) or (z, y, x)");
  }
  return {shape[-1], shape[-2], shape.rank() == 3 ? shape[0] : 1};
}

bool same_but_for_ones(const Shape& a, const Shape& b) {
  const auto extents = [](const Shape& shape) {
    std::vector<Index> kept;
    std::copy_if(shape.begin(), shape.end(), std::back_inserter(kept), [](Index extent) { return extent != 1; });
    return kept;
  };
  return extents(a) == extents(b);
}

bool is_double_dtype(nb::handle dtype) {
  std::string text;
  if (nb::isinstance<nb::str>(dtype)) {
    text = nb::cast<std::string>(dtype);
  } else if (framework_of(dtype) == Framework::pytorch) {
    text = text_of(dtype);
    if (text.starts_with("torch.")) text = text.substr(6);
  } else {
    text = nb::cast<std::string>(module("numpy").attr("dtype")(dtype).attr("name"));
  }
  if (text == "complex128" || text == "float64") return true;
  if (text == "complex64" || text == "float32") return false;
  throw ValueError("dtype is '" + text + "', expected complex64 (or float32) or complex128 (or float64)");
}

nb::object numpy_dtype(bool is_double, bool is_complex) {
  const char* name = is_complex ? (is_double ? "complex128" : "complex64") : (is_double ? "float64" : "float32");
  return module("numpy").attr("dtype")(name);
}

}  // namespace whorl::python
