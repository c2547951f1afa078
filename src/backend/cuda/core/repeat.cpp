// Work that is repeated, on a GPU: recorded as a CUDA graph.
#include "kernels/repeat.hpp"

#include <memory>
#include <utility>

#include "backend/cuda/core/recording.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// The first time the work runs as it is, which makes what is made on first use (scratch, plans, tables). The second
// time it is recorded. From then on the device repeats the record.
//
// CUDA ends a recording when another thread waits for the whole device. Those of whorl do not (recording.hpp), but those of
// the caller may. The work then runs as it is, and is recorded the next time.
class Repetition {
 public:
  Repetition(Context ctx, std::function<void()> work) : ctx_(std::move(ctx)), work_(std::move(work)) {}

  ~Repetition() {
    if (graph_ == nullptr) return;
    // The scratch goes back to the pool after this, so the graph must have ended.
    static_cast<void>(cudaStreamSynchronize(stream_of(ctx_)));
    static_cast<void>(cudaGraphExecDestroy(graph_));
  }
  Repetition(const Repetition&) = delete;
  Repetition& operator=(const Repetition&) = delete;

  void run() {
    if (!warm_) {
      work_();
      warm_ = true;
      return;
    }
    if (graph_ == nullptr) scratch_ = ctx_.pool().keep_scratch_of([this] { record(); });
    if (graph_ == nullptr) {
      scratch_.reset();
      work_();
      return;
    }
    check(cudaGraphLaunch(graph_, stream_of(ctx_)), "cudaGraphLaunch");
  }

 private:
  // Leaves the graph empty if another thread ended the recording.
  void record() {
    const Recording recording;
    cudaStream_t stream = stream_of(ctx_);
    // Relaxed: the pool may have to ask the driver for memory, which is not work of the stream.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    cudaGraph_t recorded = nullptr;
    try {
      work_();
    } catch (...) {
      const bool ended = is_ended(stream);
      static_cast<void>(cudaStreamEndCapture(stream, &recorded));
      if (recorded != nullptr) static_cast<void>(cudaGraphDestroy(recorded));
      static_cast<void>(cudaGetLastError());  // the next call must not report this error
      if (ended) return;
      throw;
    }
    const cudaError_t end = cudaStreamEndCapture(stream, &recorded);
    if (end == cudaErrorStreamCaptureInvalidated) {
      static_cast<void>(cudaGetLastError());
      return;
    }
    check(end, "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    static_cast<void>(cudaGraphDestroy(recorded));
    check(status, "cudaGraphInstantiate");
  }

  static bool is_ended(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusInvalidated;
  }

  Context ctx_;
  std::function<void()> work_;
  bool warm_ = false;
  std::shared_ptr<void> scratch_;
  cudaGraphExec_t graph_ = nullptr;
};

std::function<void()> make_repeatable(const Context& ctx, std::function<void()> work) {
  if (!can_record(ctx)) return work;
  return [repetition = std::make_shared<Repetition>(ctx, std::move(work))] { repetition->run(); };
}

}  // namespace

void register_repeat() { kernels::make_repeatable.set(DeviceKind::cuda, make_repeatable); }

}  // namespace whorl::backend::cuda
