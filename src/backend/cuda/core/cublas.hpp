// cuBLAS, loaded when it is first needed: its initialization takes more than a tenth of a second, which a program that
// links it spends at every start, on machines without a GPU too.
#pragma once

#include <cublas_v2.h>

namespace whorl::backend::cuda {

/// What whorl calls of it, under the names without their prefix.
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

/// Throws DeviceError where the library can not be loaded.
const Cublas& cublas();

}  // namespace whorl::backend::cuda
