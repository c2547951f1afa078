// Parts of a GPU: green contexts of the driver, whose streams run on some of its multiprocessors. The driver's functions are
// asked for at run time, so that nothing more is linked.
#include <cuda.h>
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "backend/cuda/runtime.hpp"
#include "studies/energy/part.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::energy {

namespace {

using backend::cuda::check;

template <class Function>
void find_entry(const char* name, Function& function) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &entry, CUDART_VERSION, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess || entry == nullptr) {
    static_cast<void>(cudaGetLastError());  // the next call must not report this error
    throw Unsupported(fmt::format(
        "energy: parts of a GPU are green contexts, and this driver has no {}; install one of CUDA 12.4 or newer",
        name));
  }
  function = reinterpret_cast<Function>(entry);
}

struct GreenDriver {
  GreenDriver() {
    find_entry("cuDeviceGet", device_get);
    find_entry("cuDeviceGetDevResource", resource_of);
    find_entry("cuDevSmResourceSplitByCount", split);
    find_entry("cuDevResourceGenerateDesc", describe);
    find_entry("cuGreenCtxCreate", create);
    find_entry("cuGreenCtxDestroy", destroy);
    find_entry("cuGreenCtxStreamCreate", create_stream);
  }

  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuDeviceGetDevResource) resource_of = nullptr;
  decltype(&cuDevSmResourceSplitByCount) split = nullptr;
  decltype(&cuDevResourceGenerateDesc) describe = nullptr;
  decltype(&cuGreenCtxCreate) create = nullptr;
  decltype(&cuGreenCtxDestroy) destroy = nullptr;
  decltype(&cuGreenCtxStreamCreate) create_stream = nullptr;
};

// The driver's codes are the runtime's.
void check_driver(CUresult code, const char* call) {
  if (code == CUDA_ERROR_NOT_SUPPORTED) {
    throw Unsupported(
        "energy: this GPU gives no parts of itself (green contexts); expected one of compute capability 6.0 or newer");
  }
  check(static_cast<cudaError_t>(code), call);
}

class GreenContext {
 public:
  GreenContext(int index, unsigned multiprocessors) : index_(index) {
    CUdevice device = 0;
    check_driver(driver_.device_get(&device, index), "cuDeviceGet");
    CUdevResource all{};
    check_driver(driver_.resource_of(device, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
    // Clusters of blocks, which such small groups do without, are not used here.
    const bool small = multiprocessors < all.sm.minSmPartitionSize;
    const unsigned flags = small ? unsigned{CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING} : 0U;
    CUdevResource group{};
    unsigned groups = 1;
    check_driver(driver_.split(&group, &groups, &all, nullptr, flags, multiprocessors), "cuDevSmResourceSplitByCount");
    multiprocessors_ = static_cast<int>(group.sm.smCount);
    CUdevResourceDesc description{};
    check_driver(driver_.describe(&description, &group, 1), "cuDevResourceGenerateDesc");
    check_driver(driver_.create(&context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
    const CUresult status = driver_.create_stream(&stream_, context_, CU_STREAM_NON_BLOCKING, 0);
    if (status == CUDA_SUCCESS) return;
    static_cast<void>(driver_.destroy(context_));
    check_driver(status, "cuGreenCtxStreamCreate");
  }
  ~GreenContext() {
    // An error has nobody left to be reported to.
    static_cast<void>(cudaSetDevice(index_));
    static_cast<void>(cudaStreamDestroy(stream_));
    static_cast<void>(driver_.destroy(context_));
  }
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  int multiprocessors() const { return multiprocessors_; }
  void* stream() const { return stream_; }

 private:
  GreenDriver driver_;
  int index_;
  int multiprocessors_ = 0;
  CUgreenCtx context_ = nullptr;
  CUstream stream_ = nullptr;
};

}  // namespace

int multiprocessors_of(const Context& ctx) { return backend::cuda::properties_of(ctx).multiProcessorCount; }

Part part_of_gpu(const Context& ctx, int multiprocessors) {
  static_cast<void>(backend::cuda::stream_of(ctx));  // the device's own context is there, and current
  auto green = std::make_shared<GreenContext>(ctx.device().index, static_cast<unsigned>(multiprocessors));
  const int given = green->multiprocessors();
  Context part({.device = ctx.device(),
                .threads = ctx.threads(),
                .max_memory = ctx.pool().limit(),
                .cancel = ctx.cancel_token(),
                .stream = green->stream()});
  return {std::move(green), std::move(part), given};
}

}  // namespace whorl::studies::energy
