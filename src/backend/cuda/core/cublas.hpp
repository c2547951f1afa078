// cuBLAS, loaded when it is first needed. Its initialization takes more than a tenth of a second, which a program
// linked with it would spend at every start, even without a GPU.
#pragma once

#include <cublas_v2.h>

#include "core/internal.hpp"

namespace whorl::backend::cuda {

/// The functions that whorl calls, without their prefix.
struct Cublas {
  decltype(&cublasCreate) create;
  decltype(&cublasDestroy) destroy;
  decltype(&cublasSetStream) set_stream;
  decltype(&cublasGetStatusString) status_string;
  decltype(&cublasCgemm_64) cgemm_64;
  decltype(&cublasZgemm_64) zgemm_64;
  decltype(&cublasZgemm) zgemm;
  decltype(&cublasZherk) zherk;
};

/// Throws DeviceError if the library can not be loaded.
WHORL_INTERNAL const Cublas& cublas();

}  // namespace whorl::backend::cuda
