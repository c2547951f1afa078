#include "backend/cuda/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/cuda/core/recording.hpp"
#include "kernels/fork.hpp"

namespace whorl::backend::cuda {

namespace {

[[noreturn]] void fail(const char* call, const std::string& reason, const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(std::min(file.size(), file.rfind('/') + 1));
  throw DeviceError(fmt::format("{} ({}:{}): {}", call, file, where.line(), reason));
}

// CUDA's state does not survive a fork. Objects of the parent process do not work in the child, and must not be
// released there.
class OfThisProcess {
 public:
  bool is_here() const { return forks_ == kernels::forks_before(); }
  void check_here(int device) const {
    if (is_here()) return;
    throw DeviceError(
        fmt::format("cuda:{}: this process was forked from one that had used the GPU, which CUDA does not allow; start "
                    "a new program for it (exec, or the start method 'spawn' of Python's multiprocessing)",
                    device));
  }

 private:
  int forks_ = kernels::forks_before();
};

// The stream is the queue's own, or the caller's.
class CudaQueue final : public kernels::Queue {
 public:
  CudaQueue(int index, std::optional<void*> stream) : index_(index), is_own_(!stream) {
    check(cudaSetDevice(index), "cudaSetDevice");
    check(cudaGetDeviceProperties(&properties_, index), "cudaGetDeviceProperties");
    if (is_own_) {
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    } else {
      stream_ = static_cast<cudaStream_t>(*stream);
      check_stream();
    }
    check(cudaHostAlloc(&mailbox_, mailbox_bytes, cudaHostAllocMapped), "cudaHostAlloc");
  }

  // A branch of another queue: it has no mailbox, since its work is not waited for.
  explicit CudaQueue(const CudaQueue* trunk)
      : process_(trunk->process_),
        index_(trunk->index_),
        is_own_(true),
        is_branch_(true),
        properties_(trunk->properties_) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }

  ~CudaQueue() override {
    if (!process_.is_here()) return;
    // An error has nobody left to be reported to.
    static_cast<void>(cudaSetDevice(index_));
    wait_at_the_end();
    if (mailbox_ != nullptr) static_cast<void>(cudaFreeHost(mailbox_));
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
    if (is_own_) static_cast<void>(cudaStreamDestroy(stream_));
  }

  bool can_branch() const { return !is_branch_ && can_record(); }

  const std::shared_ptr<CudaQueue>& branch(std::size_t number) {
    while (branches_.size() < number) branches_.push_back(std::make_shared<CudaQueue>(this));
    return branches_[number - 1];
  }

  // Later work waits for what the other queue has been given so far.
  void wait_for(CudaQueue& other) {
    if (other.event_ == nullptr) {
      check(cudaEventCreateWithFlags(&other.event_, cudaEventDisableTiming), "cudaEventCreate");
    }
    check(cudaEventRecord(other.event_, other.stream_), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_, other.event_, 0), "cudaStreamWaitEvent");
  }

  void synchronize() override { check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }
  void* stream_handle() const override { return stream(); }

  cudaStream_t stream() const {
    process_.check_here(index_);
    check(cudaSetDevice(index_), "cudaSetDevice");
    return stream_;
  }

  // CUDA does not record work of its default stream.
  bool can_record() const { return stream_ != nullptr && stream_ != cudaStreamLegacy; }

  const cudaDeviceProp& properties() const { return properties_; }
  void* mailbox() const { return mailbox_; }

 private:
  // The caller may have ended a stream of its own already.
  void wait_at_the_end() const {
    if (is_own_) {
      static_cast<void>(cudaStreamSynchronize(stream_));
      return;
    }
    const WholeDevice whole;
    static_cast<void>(cudaDeviceSynchronize());
  }

  void check_stream() const {
    if (stream_ == cudaStreamPerThread) {
      throw ValueError(
          "context: the stream is cudaStreamPerThread, another one in each thread; expected one of cudaStreamCreate");
    }
    if (!can_record()) return;  // the default stream of any device
    int device = 0;
    check(cudaStreamGetDevice(stream_, &device), "cudaStreamGetDevice");
    if (device == index_) return;
    throw ValueError(
        fmt::format("context: a stream of cuda:{} for the device cuda:{}; expected one of the same", device, index_));
  }

  OfThisProcess process_;
  int index_;
  bool is_own_;
  bool is_branch_ = false;
  cudaStream_t stream_ = nullptr;
  cudaDeviceProp properties_{};
  void* mailbox_ = nullptr;
  cudaEvent_t event_ = nullptr;
  std::vector<std::shared_ptr<CudaQueue>> branches_;
};

CudaQueue& queue_of(const Context& ctx) { return static_cast<CudaQueue&>(*ctx.queue()); }

class CudaLapTimer final : public kernels::LapTimer {
 public:
  explicit CudaLapTimer(Context ctx) : ctx_(std::move(ctx)) {}
  ~CudaLapTimer() override {
    for (cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
  }
  CudaLapTimer(const CudaLapTimer&) = delete;
  CudaLapTimer& operator=(const CudaLapTimer&) = delete;

  void mark() override {
    if (marks_ == events_.size()) {
      events_.push_back(nullptr);
      check(cudaEventCreate(&events_.back()), "cudaEventCreate");
    }
    check(cudaEventRecord(events_[marks_++], stream_of(ctx_)), "cudaEventRecord");
  }

  std::vector<double> milliseconds() override {
    ctx_.synchronize();
    std::vector<double> ms;
    for (std::size_t i = 1; i < marks_; ++i) {
      float lap = 0;
      check(cudaEventElapsedTime(&lap, events_[i - 1], events_[i]), "cudaEventElapsedTime");
      ms.push_back(lap);
    }
    marks_ = 0;
    return ms;
  }

 private:
  Context ctx_;
  std::vector<cudaEvent_t> events_;
  std::size_t marks_ = 0;
};

// The driver starts slowly, so it is asked for its devices only when these are needed.
struct Devices {
  Devices() {
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return;
    count = 0;
    if (status == cudaSuccess || status == cudaErrorNoDevice) {
      why_none = "this machine has no NVIDIA GPU";
    } else if (status == cudaErrorInsufficientDriver) {
      why_none = fmt::format("this machine has no NVIDIA driver, or one older than CUDA {}.{}", CUDART_VERSION / 1000,
                             CUDART_VERSION % 1000 / 10);
    } else {
      why_none = fmt::format("no NVIDIA GPU can be used: {}", cudaGetErrorString(status));
    }
  }

  int count = 0;
  std::string why_none;
  OfThisProcess process;
};

const Devices& devices() {
  static const Devices found;
  return found;
}

class CudaRuntime final : public kernels::DeviceRuntime {
 public:
  int count() const override { return devices().count; }
  std::string why_none() const override { return devices().why_none; }

  std::string name(int index) const override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
    return properties.name;
  }

  std::size_t free_bytes(int index) const override {
    check(cudaSetDevice(index), "cudaSetDevice");
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }

  std::byte* allocate(int index, std::size_t bytes) const override {
    devices().process.check_here(index);
    check(cudaSetDevice(index), "cudaSetDevice");
    void* block = nullptr;
    const cudaError_t status = cudaMalloc(&block, bytes);
    return block_or_null(status, "cudaMalloc", block);
  }

  void release(int index, std::byte* block) const noexcept override {
    if (!devices().process.is_here()) return;
    static_cast<void>(cudaSetDevice(index));
    static_cast<void>(cudaFree(block));
  }

  std::byte* allocate_on_host(int index, std::size_t bytes) const override {
    devices().process.check_here(index);
    check(cudaSetDevice(index), "cudaSetDevice");
    void* block = nullptr;
    const cudaError_t status = cudaHostAlloc(&block, bytes, cudaHostAllocMapped);
    return block_or_null(status, "cudaHostAlloc", block);
  }

  void release_on_host(std::byte* block) const noexcept override {
    if (devices().process.is_here()) static_cast<void>(cudaFreeHost(block));
  }

  std::shared_ptr<kernels::Queue> make_queue(int index, std::optional<void*> stream) const override {
    devices().process.check_here(index);
    return std::make_shared<CudaQueue>(index, stream);
  }

  std::unique_ptr<kernels::LapTimer> make_lap_timer(const Context& ctx) const override {
    return std::make_unique<CudaLapTimer>(ctx);
  }

 private:
  static std::byte* block_or_null(cudaError_t status, const char* call, void* block) {
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());  // the next call must not report this error
      return nullptr;
    }
    check(status, call);
    return static_cast<std::byte*>(block);
  }
};

const char* text_of(cufftResult status) {
  switch (status) {
    case CUFFT_ALLOC_FAILED:
      return "out of memory on the device";
    case CUFFT_INVALID_SIZE:
      return "a size that cuFFT does not take";
    case CUFFT_EXEC_FAILED:
      return "the transform failed on the device";
    default:
      return "cuFFT failed";
  }
}

void copy_bytes(const Context& ctx, void* to, Device to_device, const void* from, Device from_device,
                std::size_t bytes) {
  cudaStream_t stream = stream_of(ctx);
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  const bool both_here = to_device == ctx.device() && from_device == ctx.device();
  if (!both_here) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

}  // namespace

void check(cudaError_t status, const char* call, std::source_location where) {
  if (status != cudaSuccess) fail(call, cudaGetErrorString(status), where);
}

void check(cufftResult status, const char* call, std::source_location where) {
  if (status != CUFFT_SUCCESS)
    fail(call, fmt::format("{} (code {})", text_of(status), static_cast<int>(status)), where);
}

void check_launch(const char* kernel, std::source_location where) { check(cudaGetLastError(), kernel, where); }

cudaStream_t stream_of(const Context& ctx) { return queue_of(ctx).stream(); }
bool can_record(const Context& ctx) { return queue_of(ctx).can_record(); }
const cudaDeviceProp& properties_of(const Context& ctx) { return queue_of(ctx).properties(); }
bool can_branch(const Context& ctx) { return queue_of(ctx).can_branch(); }

Context begin_branch(const Context& ctx, int number) {
  CudaQueue& trunk = queue_of(ctx);
  const auto& queue = trunk.branch(static_cast<std::size_t>(number));
  queue->wait_for(trunk);
  return ctx.branch(queue, number);
}

void end_branch(const Context& ctx, const Context& branch) { queue_of(ctx).wait_for(queue_of(branch)); }

void* mailbox_of(const Context& ctx) { return queue_of(ctx).mailbox(); }

void register_runtime() {
  static const CudaRuntime cuda;
  kernels::set_runtime(DeviceKind::cuda, cuda);
  kernels::copy_bytes.set(DeviceKind::cuda, copy_bytes);
}

}  // namespace whorl::backend::cuda
