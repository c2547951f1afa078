// The module libwhorl_nccl: the only code of whorl that knows NCCL. NCCL's library is loaded here, not linked: the build needs
// its header alone, and machines without it run the same program.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <nccl.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "comm/nccl_calls.hpp"

namespace whorl::comm {

namespace {

static_assert(sizeof(ncclUniqueId) == nccl_id_bytes);

struct Library {
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  std::string why_not;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Library load_library() {
  Library nccl;
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread
    nccl.why_not = reason == nullptr ? "libnccl.so.2 can not be loaded" : reason;
    return nccl;
  }
  const bool found =
      find(library, "ncclGetUniqueId", nccl.get_unique_id) && find(library, "ncclCommInitRank", nccl.comm_init_rank) &&
      find(library, "ncclCommDestroy", nccl.comm_destroy) && find(library, "ncclBroadcast", nccl.broadcast) &&
      find(library, "ncclReduce", nccl.reduce) && find(library, "ncclGetErrorString", nccl.error_string);
  if (!found) nccl.why_not = "libnccl.so.2 lacks functions of NCCL 2";
  return nccl;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

const char* load() { return library().why_not.empty() ? nullptr : library().why_not.c_str(); }

const char* words_of(ncclResult_t result) { return result == ncclSuccess ? nullptr : library().error_string(result); }
const char* words_of(cudaError_t status) { return status == cudaSuccess ? nullptr : cudaGetErrorString(status); }

const char* bus_name(int device, char* name, int length) {
  return words_of(cudaDeviceGetPCIBusId(name, length, device));
}

const char* make_id(void* id) {
  ncclUniqueId made;
  const char* const failure = words_of(library().get_unique_id(&made));
  if (failure == nullptr) std::memcpy(id, &made, sizeof(made));
  return failure;
}

const char* join(const void* id, int size, int rank, int device, void** group) {
  if (const char* failure = words_of(cudaSetDevice(device)); failure != nullptr) return failure;
  ncclUniqueId of_group;
  std::memcpy(&of_group, id, sizeof(of_group));
  ncclComm_t joined = nullptr;
  const char* const failure = words_of(library().comm_init_rank(&joined, size, of_group, rank));
  *group = joined;
  return failure;
}

void leave(void* group) { static_cast<void>(library().comm_destroy(static_cast<ncclComm_t>(group))); }

const char* broadcast(void* group, float* values, std::size_t count, int root, void* stream) {
  return words_of(library().broadcast(values, values, count, ncclFloat, root, static_cast<ncclComm_t>(group),
                                      static_cast<cudaStream_t>(stream)));
}

const char* sum(void* group, float* values, std::size_t count, int root, void* stream) {
  return words_of(library().reduce(values, values, count, ncclFloat, ncclSum, root, static_cast<ncclComm_t>(group),
                                   static_cast<cudaStream_t>(stream)));
}

}  // namespace
}  // namespace whorl::comm

extern "C" [[gnu::visibility("default")]] const whorl::comm::NcclCalls* whorl_nccl_calls() {
  using namespace whorl::comm;
  static const NcclCalls calls{.version = nccl_calls_version,
                               .load = load,
                               .bus_name = bus_name,
                               .make_id = make_id,
                               .join = join,
                               .leave = leave,
                               .broadcast = broadcast,
                               .sum = sum};
  return &calls;
}
