#include "frameworks.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <complex>
#include <string_view>

namespace whorl::python {

namespace {

const char* module_name(Framework framework) {
  switch (framework) {
    case Framework::pytorch:
      return "torch";
    case Framework::jax:
      return "jax.numpy";
    case Framework::cupy:
      return "cupy";
    default:
      return "numpy";
  }
}

// What whorl uses of CuPy, looked up once. Its arrays are read by their attributes: to export one by DLPack takes as long as
// several kernels, and makes CUDA's default stream wait for the current one. Here `Input` cares for the order of streams.
struct CuPy {
  nb::object array;           // cupy.ndarray
  nb::object empty;           // cupy.empty
  nb::object current_stream;  // cupy.cuda.get_current_stream
  nb::object current_device;  // cupy.cuda.runtime.getDevice
  nb::object device;          // cupy.cuda.Device
};

const CuPy& cupy() {
  // Under the GIL, and without the lock of a static's initialization: imports may let other threads run.
  static const CuPy* names = nullptr;
  if (names == nullptr) {
    const nb::object root = module("cupy");
    const nb::object cuda = root.attr("cuda");
    names = new CuPy{root.attr("ndarray"), root.attr("empty"), cuda.attr("get_current_stream"),
                     cuda.attr("runtime").attr("getDevice"), cuda.attr("Device")};
  }
  return *names;
}

// The array of CuPy's own class with elements of a type that whorl computes with; false for all others.
template <class View>
bool view_cupy(nb::handle object, View& view) {
  if (!object.type().is(cupy().array)) return false;
  const nb::str code = nb::borrow<nb::str>(object.attr("dtype").attr("char"));
  const std::string_view letter = code.c_str();
  nb::dlpack::dtype element{};
  if (letter == "F") {
    element = nb::dtype<std::complex<float>>();
  } else if (letter == "D") {
    element = nb::dtype<std::complex<double>>();
  } else if (letter == "f") {
    element = nb::dtype<float>();
  } else if (letter == "d") {
    element = nb::dtype<double>();
  } else {
    return false;
  }
  const nb::object memory = object.attr("data");
  std::array<std::size_t, 8> extents{};
  std::array<std::int64_t, 8> steps{};
  const nb::tuple shape = nb::borrow<nb::tuple>(object.attr("shape"));
  const nb::tuple strides = nb::borrow<nb::tuple>(object.attr("strides"));
  if (shape.size() > extents.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    extents[axis] = nb::cast<std::size_t>(shape[axis]);
    steps[axis] = nb::cast<std::int64_t>(strides[axis]) * 8 / element.bits;
  }
  view = View(reinterpret_cast<void*>(nb::cast<std::uintptr_t>(memory.attr("ptr"))), shape.size(), extents.data(),
              object, steps.data(), element, dl_cuda, nb::cast<int>(memory.attr("device_id")));
  return true;
}

}  // namespace

Framework framework_of(nb::handle object) {
  const nb::object name = nb::getattr(object.type(), "__module__", nb::none());
  std::string_view text;
  if (nb::isinstance<nb::str>(name)) text = nb::borrow<nb::str>(name).c_str();
  if (text.starts_with("torch")) return Framework::pytorch;
  if (text.starts_with("jax")) return Framework::jax;
  if (text.starts_with("cupy")) return Framework::cupy;
  return Framework::numpy;
}

bool view_array(nb::handle object, Framework framework, nb::ndarray<nb::ro>& view) {
  return (framework == Framework::cupy && view_cupy(object, view)) || nb::try_cast(object, view, false);
}

bool view_array(nb::handle object, Framework framework, nb::ndarray<>& view) {
  return (framework == Framework::cupy && view_cupy(object, view)) || nb::try_cast(object, view, false);
}

nb::object converted(nb::handle object, Framework framework, const std::string& type) {
  if (framework == Framework::pytorch) {
    return object.attr("to")(module("torch").attr(type.c_str())).attr("contiguous")();
  }
  if (framework == Framework::jax) return module("jax.numpy").attr("array")(object, type);
  return module(module_name(framework)).attr("ascontiguousarray")(object, type);
}

std::pair<nb::object, std::uintptr_t> stream_of(Framework framework, int device) {
  if (framework == Framework::pytorch) {
    const nb::object stream = module("torch").attr("cuda").attr("current_stream")(device);
    return {stream, nb::cast<std::uintptr_t>(stream.attr("cuda_stream"))};
  }
  if (framework == Framework::cupy) {
    const nb::object stream = cupy().current_stream();
    return {stream, nb::cast<std::uintptr_t>(stream.attr("ptr"))};
  }
  return {nb::none(), 0};
}

nb::object empty_on_gpu(Framework framework, const nb::tuple& shape, const std::string& type, int index) {
  if (framework == Framework::pytorch) {
    const nb::object torch = module("torch");
    nb::dict options;
    options["dtype"] = torch.attr(type.c_str());
    options["device"] = "cuda:" + std::to_string(index);
    return torch.attr("empty")(shape, **options);
  }
  if (nb::cast<int>(cupy().current_device()) == index) return cupy().empty(shape, type);
  const nb::object device = cupy().device(index);
  device.attr("__enter__")();
  nb::object array = cupy().empty(shape, type);
  device.attr("__exit__")(nb::none(), nb::none(), nb::none());
  return array;
}

}  // namespace whorl::python
