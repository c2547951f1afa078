// Work that is repeated, on a GPU: recorded as a CUDA graph.
#include "kernels/repeat.hpp"

#include <memory>
#include <utility>

#include "backend/cuda/core/recording.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/fork.hpp"

namespace whorl::backend::cuda {

namespace {

// The first call runs the work directly, so that scratch, plans and tables are made. The second call records it. From
// then on the device repeats the record.
class Repetition {
 public:
  Repetition(Context ctx, std::function<void()> work) : ctx_(std::move(ctx)), work_(std::move(work)) {}

  ~Repetition() {
    // A graph of the process that this one was forked from is not released here.
    if (graph_ == nullptr || forks_ != kernels::forks_before()) return;
    // The scratch goes back to the pool after this, so the graph must have ended.
    static_cast<void>(cudaStreamSynchronize(recorded_on_));
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
    check(cudaGraphLaunch(graph_, stream_of(ctx_)), "cudaGraphLaunch");
  }

 private:
  void record() {
    const Recording recording;
    cudaStream_t stream = stream_of(ctx_);
    // Relaxed, because the pool may have to ask the driver for memory, which is not work of the stream.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    cudaGraph_t recorded = nullptr;
    try {
      work_();
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(stream, &recorded));
      if (recorded != nullptr) static_cast<void>(cudaGraphDestroy(recorded));
      throw;
    }
    check(cudaStreamEndCapture(stream, &recorded), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    static_cast<void>(cudaGraphDestroy(recorded));
    check(status, "cudaGraphInstantiate");
    recorded_on_ = stream;
  }

  Context ctx_;
  std::function<void()> work_;
  bool warm_ = false;
  std::shared_ptr<void> scratch_;
  cudaGraphExec_t graph_ = nullptr;
  cudaStream_t recorded_on_ = nullptr;
  int forks_ = kernels::forks_before();
};

std::function<void()> make_repeatable(const Context& ctx, std::function<void()> work) {
  if (!can_record(ctx)) return work;
  return [repetition = std::make_shared<Repetition>(ctx, std::move(work))] { repetition->run(); };
}

}  // namespace

void register_repeat() { kernels::make_repeatable.set(DeviceKind::cuda, make_repeatable); }

}  // namespace whorl::backend::cuda
