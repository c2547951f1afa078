// FFT on a GPU: cuFFT.
#include "kernels/fft.hpp"

#include <map>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cuda/core/recording.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

/// A cuFFT plan for some number of grids, without memory of its own.
class CufftHandle {
 public:
  CufftHandle(const Shape& grid, cufftType type, Index batch) {
    check(cufftCreate(&handle_), "cufftCreate");
    try {
      check(cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
      std::vector<long long> extents(grid.begin(), grid.end());
      check(cufftMakePlanMany64(handle_, static_cast<int>(extents.size()), extents.data(), nullptr, 1, 0, nullptr, 1, 0,
                                type, batch, &work_bytes_),
            "cufftMakePlanMany64");
    } catch (...) {
      cufftDestroy(handle_);
      throw;
    }
  }
  ~CufftHandle() {
    const WholeDevice whole;
    cufftDestroy(handle_);
  }
  CufftHandle(const CufftHandle&) = delete;
  CufftHandle& operator=(const CufftHandle&) = delete;

  cufftHandle get() const { return handle_; }
  Index work_bytes() const { return static_cast<Index>(work_bytes_); }

 private:
  cufftHandle handle_{};
  std::size_t work_bytes_ = 0;
};

template <class Real>
class CufftPlan final : public FftPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  CufftPlan(const Context& ctx, Shape grid) : grid_(std::move(grid)) {
    stream_of(ctx);  // makes the context's device current
    const WholeDevice whole;
    make_handle(1);
  }

  void execute(const Context& ctx, FftDirection direction, Complex* grids, Index batch) const override {
    cudaStream_t stream = stream_of(ctx);
    // A handle has one stream and one work area at a time.
    std::unique_lock lock(mutex_);
    if (!handles_.contains(batch)) {
      lock.unlock();
      const WholeDevice whole;
      lock.lock();
      make_handle(batch);
    }
    const CufftHandle& plan = *handles_.at(batch);
    Array<std::byte> work(ctx, {plan.work_bytes()});
    check(cufftSetStream(plan.get(), stream), "cufftSetStream");
    check(cufftSetWorkArea(plan.get(), work.data()), "cufftSetWorkArea");
    const int sign = direction == FftDirection::forward ? CUFFT_FORWARD : CUFFT_INVERSE;
    if constexpr (std::is_same_v<Real, float>) {
      auto* data = reinterpret_cast<cufftComplex*>(grids);
      check(cufftExecC2C(plan.get(), data, data, sign), "cufftExecC2C");
    } else {
      auto* data = reinterpret_cast<cufftDoubleComplex*>(grids);
      check(cufftExecZ2Z(plan.get(), data, data, sign), "cufftExecZ2Z");
    }
  }

 private:
  void make_handle(Index batch) const {
    if (handles_.contains(batch)) return;
    handles_[batch] = std::make_unique<CufftHandle>(grid_, std::is_same_v<Real, float> ? CUFFT_C2C : CUFFT_Z2Z, batch);
  }

  Shape grid_;
  mutable std::mutex mutex_;
  mutable std::map<Index, std::unique_ptr<CufftHandle>> handles_;  // by the size of the batch, made on first use
};

template <class Real>
std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& ctx, const Shape& grid) {
  return std::make_shared<const CufftPlan<Real>>(ctx, grid);
}

}  // namespace

void register_fft() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_fft_plan<Real>.set(DeviceKind::cuda, make_fft_plan<Real>);
  });
}

}  // namespace whorl::backend::cuda
