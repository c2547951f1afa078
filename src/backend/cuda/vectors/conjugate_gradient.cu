// Steps of conjugate gradient on a GPU. The scalars stay on the device, and the host reads the reports of earlier steps
// while later ones run.
#include "kernels/conjugate_gradient.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <thread>

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int steps_ahead = 3;
constexpr int reports = steps_ahead + 2;

// The result of a step for the host.
struct Report {
  double curvature;
  double energy;
  std::uint64_t count;  // steps done, written last
};

// Memory of the host that the device writes to.
struct FreeReports {
  void operator()(Report* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};
using Reports = std::unique_ptr<Report, FreeReports>;

Reports make_reports(std::size_t systems) {
  const std::size_t bytes = reports * systems * sizeof(Report);
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "cudaHostAlloc");
  std::memset(memory, 0, bytes);
  return Reports(static_cast<Report*>(memory));
}

struct Scalars {
  double energy;       // <r, P^-1 r> at the start of the step
  double next_energy;  // at its end
  double curvature;    // p^H A p
  double stop_energy;
  std::uint64_t count;  // steps asked for
  int taken;            // whether this step is
};

// The data of all systems. In kernels over vectors blockIdx.y is the system, and gridDim.x is its number of blocks.
template <class Real>
struct Vectors {
  Index size;
  Complex2<Real>* x;
  Complex2<Real>* residual;
  Complex2<Real>* direction;
  const Complex2<Real>* image;
  const Complex2<Real>* along;  // P^-1 r, or the residual
  double* partial;              // [system, block]
  Scalars* scalars;             // [system]

  __device__ Vectors of_this_system() const {
    const Index offset = blockIdx.y * size;
    return {size,
            x + offset,
            residual + offset,
            direction + offset,
            image + offset,
            along + offset,
            partial + blockIdx.y * gridDim.x,
            scalars + blockIdx.y};
  }
};

template <class Real>
__global__ void __launch_bounds__(loop_threads) curvature_partial(Vectors<Real> all) {
  const Vectors<Real> v = all.of_this_system();
  double sum = 0;
  for (Index i = blockIdx.x * Index{loop_threads} + threadIdx.x; i < v.size; i += Index{gridDim.x} * loop_threads) {
    const Complex2<Real> p = v.direction[i];
    const Complex2<Real> q = v.image[i];
    sum += double(p.x) * q.x + double(p.y) * q.y;
  }
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = sum;
}

// The total for the system of this block.
__device__ double total_of(const double* partial, int count) {
  partial += blockIdx.x * count;
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += loop_threads) sum += partial[i];
  return block_sum<loop_threads>(sum);
}

__global__ void __launch_bounds__(loop_threads) curvature_total(const double* partial, int count, Scalars* scalars) {
  scalars += blockIdx.x;
  const double sum = total_of(partial, count);
  if (threadIdx.x != 0) return;
  if (scalars->energy <= scalars->stop_energy) {
    scalars->taken = 0;
    return;
  }
  scalars->curvature = sum;
  scalars->taken = sum > 0 && isfinite(sum);
}

// x += step p, r -= step A p, and partial sums of |r|^2, which those with a preconditioner replace
template <class Real>
__global__ void __launch_bounds__(loop_threads) move_kernel(Vectors<Real> all) {
  const Vectors<Real> v = all.of_this_system();
  const Scalars s = *v.scalars;
  if (!s.taken) return;
  const Real step = static_cast<Real>(s.energy / s.curvature);
  double sum = 0;
  for (Index i = blockIdx.x * Index{loop_threads} + threadIdx.x; i < v.size; i += Index{gridDim.x} * loop_threads) {
    const Complex2<Real> p = v.direction[i];
    const Complex2<Real> q = v.image[i];
    Complex2<Real> x = v.x[i];
    Complex2<Real> r = v.residual[i];
    x.x += step * p.x;
    x.y += step * p.y;
    r.x -= step * q.x;
    r.y -= step * q.y;
    v.x[i] = x;
    v.residual[i] = r;
    sum += double(r.x) * r.x + double(r.y) * r.y;
  }
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = sum;
}

// Partial sums of <r, P^-1 r>.
template <class Real>
__global__ void __launch_bounds__(loop_threads) energy_partial(Vectors<Real> all) {
  const Vectors<Real> v = all.of_this_system();
  if (!v.scalars->taken) return;
  double sum = 0;
  for (Index i = blockIdx.x * Index{loop_threads} + threadIdx.x; i < v.size; i += Index{gridDim.x} * loop_threads) {
    const Complex2<Real> r = v.residual[i];
    const Complex2<Real> z = v.along[i];
    sum += double(r.x) * z.x + double(r.y) * z.y;
  }
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(loop_threads) energy_total(const double* partial, int count, Scalars* scalars) {
  scalars += blockIdx.x;
  if (!scalars->taken) return;
  const double sum = total_of(partial, count);
  if (threadIdx.x == 0) scalars->next_energy = sum;
}

// p = P^-1 r + (next energy / energy) p, and the report. Only the first block writes the scalars. The other blocks must not
// read what it changes, so the last kernel replaces the energy by that of the next step.
template <class Real>
__global__ void __launch_bounds__(loop_threads) turn_kernel(Vectors<Real> all) {
  const Vectors<Real> v = all.of_this_system();
  const Scalars s = *v.scalars;
  if (!s.taken) return;
  const Real beta = static_cast<Real>(s.next_energy / s.energy);
  for (Index i = blockIdx.x * Index{loop_threads} + threadIdx.x; i < v.size; i += Index{gridDim.x} * loop_threads) {
    const Complex2<Real> z = v.along[i];
    Complex2<Real> p = v.direction[i];
    p.x = z.x + beta * p.x;
    p.y = z.y + beta * p.y;
    v.direction[i] = p;
  }
}

// A thread for each system.
__global__ void __launch_bounds__(loop_threads) finish(Scalars* scalars, Report* report, int systems) {
  const int system = blockIdx.x * loop_threads + threadIdx.x;
  if (system >= systems) return;
  scalars += system;
  if (scalars->taken) scalars->energy = scalars->next_energy;
  volatile Report* place = report + scalars->count % reports * systems + system;
  ++scalars->count;
  place->curvature = scalars->curvature;
  place->energy = scalars->energy;
  __threadfence_system();
  place->count = scalars->count;
}

template <class Real>
class Steps final : public kernels::ConjugateGradientSteps {
 public:
  Steps(const Context& ctx, const kernels::ConjugateGradientVectors<Real>& v,
        const std::vector<kernels::ConjugateGradientStart>& start)
      : systems_(static_cast<int>(start.size())),
        blocks_(partial_sums(v.size)),
        partial_(ctx, {systems_, blocks_}),
        scalars_(upload<Scalars>(ctx, scalars_of(start))),
        reports_(make_reports(start.size())),
        preconditioned_(v.preconditioned != nullptr),
        vectors_{v.size,
                 as_device(v.x),
                 as_device(v.residual),
                 as_device(v.direction),
                 as_device(v.image),
                 as_device(preconditioned_ ? v.preconditioned : v.residual),
                 partial_.data(),
                 scalars_.data()},
        ctx_(ctx) {}

  // Queued steps still write their reports.
  ~Steps() override { static_cast<void>(cudaStreamSynchronize(stream_of(ctx_))); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  // No step is queued while reports and scalars change.
  void restart(const Context& ctx, const std::vector<kernels::ConjugateGradientStart>& start) override {
    ctx.synchronize();
    std::memset(reports_.get(), 0, reports * start.size() * sizeof(Report));
    const std::vector<Scalars> scalars = scalars_of(start);
    kernels::copy_bytes(ctx, scalars_.data(), scalars_.device(), scalars.data(), Device{},
                        scalars.size() * sizeof(Scalars));
    ctx.synchronize();
  }

  void move(const Context& ctx) override {
    const LaunchShape parts{grid_of(blocks_, systems_), loop_threads};
    const LaunchShape totals{grid_of(systems_), loop_threads};
    launch(ctx, name, curvature_partial<Real>, parts, vectors_);
    launch(ctx, name, curvature_total, totals, partial_.data(), blocks_, scalars_.data());
    launch(ctx, name, move_kernel<Real>, parts, vectors_);
  }

  void turn(const Context& ctx) override {
    const LaunchShape parts{grid_of(blocks_, systems_), loop_threads};
    const LaunchShape totals{grid_of(systems_), loop_threads};
    if (preconditioned_) launch(ctx, name, energy_partial<Real>, parts, vectors_);
    launch(ctx, name, energy_total, totals, partial_.data(), blocks_, scalars_.data());
    launch(ctx, name, turn_kernel<Real>, parts, vectors_);
    launch(ctx, name, finish, {grid_of(divide_up(systems_, loop_threads)), loop_threads}, scalars_.data(),
           reports_.get(), systems_);
  }

  kernels::ConjugateGradientState state_after(const Context& ctx, int index, Index system) override {
    const volatile Report* report = reports_.get() + index % reports * systems_ + system;
    const auto count = static_cast<std::uint64_t>(index) + 1;
    while (report->count < count) {
      // A failed kernel never reports.
      const cudaError_t status = cudaStreamQuery(stream_of(ctx));
      if (status == cudaErrorNotReady) {
        std::this_thread::yield();
        continue;
      }
      check(status, "conjugate gradient");
      if (report->count < count) throw DeviceError("conjugate gradient: a step ended without its report");
    }
    return {report->curvature, report->energy};
  }

  int ahead() const override { return steps_ahead; }

 private:
  static std::vector<Scalars> scalars_of(const std::vector<kernels::ConjugateGradientStart>& start) {
    std::vector<Scalars> scalars;
    for (const auto& system : start) scalars.push_back({system.energy, system.energy, 0, system.stop_energy, 0, 0});
    return scalars;
  }

  static constexpr const char* name = "conjugate gradient";

  int systems_;
  int blocks_;  // of a system
  Array<double> partial_;
  Array<Scalars> scalars_;
  Reports reports_;  // [step modulo their number, system]
  bool preconditioned_;
  Vectors<Real> vectors_;
  Context ctx_;
};

template <class Real>
std::unique_ptr<kernels::ConjugateGradientSteps> make_conjugate_gradient_steps(
    const Context& ctx, const kernels::ConjugateGradientVectors<Real>& vectors,
    const std::vector<kernels::ConjugateGradientStart>& start) {
  return std::make_unique<Steps<Real>>(ctx, vectors, start);
}

}  // namespace

void register_conjugate_gradient() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_conjugate_gradient_steps<Real>.set(DeviceKind::cuda, make_conjugate_gradient_steps<Real>);
  });
}

}  // namespace whorl::backend::cuda
