#include "backend/cuda/core/cublas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "whorl/core/error.hpp"

// Macros in the headers give functions their names in the library. This is the text that a name expands to.
#define WHORL_TEXT_OF(name) #name
#define WHORL_SYMBOL(name) WHORL_TEXT_OF(name)

namespace whorl::backend::cuda {

namespace {

[[noreturn]] void fail(const std::string& what) {
  const char* reason = dlerror();
  throw DeviceError(fmt::format("{}: {}; install the libraries of CUDA {}, or compute on the CPU", what,
                                reason == nullptr ? "not found" : reason, CUBLAS_VER_MAJOR));
}

template <class Function>
void find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) fail(fmt::format("cuBLAS has no {}", symbol));
}

Cublas load() {
  const std::string name = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("cuBLAS can not be loaded");
  Cublas cublas{};
  find(library, WHORL_SYMBOL(cublasCreate), cublas.create);
  find(library, WHORL_SYMBOL(cublasDestroy), cublas.destroy);
  find(library, WHORL_SYMBOL(cublasSetStream), cublas.set_stream);
  find(library, WHORL_SYMBOL(cublasGetStatusString), cublas.status_string);
  find(library, WHORL_SYMBOL(cublasCgemm_64), cublas.cgemm_64);
  find(library, WHORL_SYMBOL(cublasZgemm_64), cublas.zgemm_64);
  find(library, WHORL_SYMBOL(cublasZgemm), cublas.zgemm);
  find(library, WHORL_SYMBOL(cublasZherk), cublas.zherk);
  return cublas;
}

}  // namespace

const Cublas& cublas() {
  static const Cublas loaded = load();
  return loaded;
}

}  // namespace whorl::backend::cuda
