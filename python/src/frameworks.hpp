// What is asked of the frameworks themselves: NumPy, PyTorch, CuPy and JAX.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <utility>

namespace whorl::python {

namespace nb = nanobind;

/// Devices of DLPack.
inline constexpr int dl_cuda = nb::device::cuda::value;
inline constexpr int dl_cuda_managed = nb::device::cuda_managed::value;

enum class Framework { numpy, pytorch, jax, cupy };

/// Framework of an object's type; NumPy for all that is none of the others.
Framework framework_of(nb::handle object);

/// A module, imported if it was not.
inline nb::object module(const char* name) { return nb::module_::import_(name); }

/// Gets the array of any framework without a conversion, to read or to write; false if the object is none.
bool view_array(nb::handle object, Framework framework, nb::ndarray<nb::ro>& view);
bool view_array(nb::handle object, Framework framework, nb::ndarray<>& view);

/// The array in C order with elements of that type ("complex64"), by its own framework.
nb::object converted(nb::handle object, Framework framework, const std::string& type);

/// The framework's current stream: an object with synchronize(), and its cudaStream_t. None for JAX, which waits when it
/// exports an array, and for what is none of the frameworks.
std::pair<nb::object, std::uintptr_t> stream_of(Framework framework, int device);

/// A new array of PyTorch or CuPy, which have allocators of their own, on a GPU.
nb::object empty_on_gpu(Framework framework, const nb::tuple& shape, const std::string& type, int index);

}  // namespace whorl::python
