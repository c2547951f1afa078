// FFT on a CPU: FFTW transforms single lines; the passes over the axes are whorl's own.
#include "kernels/fft.hpp"

#include <omp.h>

#include <array>
#include <vector>

#include "backend/cpu/core/fftw.hpp"
#include "backend/cpu/parallel.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// The points of a line along any axis but the last are far apart in memory. A block of such lines is gathered,
// transformed in cache and scattered back, so that each cache line is used whole. FFTW's own multi-dimensional plans
// stride through memory unless they are planned by measurement, and are several times slower for powers of two.
constexpr Index block_lines = 16;

/// FFTW plans for one length and both directions: one line, and a block of lines.
template <class Real>
class LinePlans {
 public:
  explicit LinePlans(int length) {
    using F = Fftw<Real>;
    // FFTW requires an array, although plans by estimate do not touch it.
    std::vector<std::complex<Real>> scratch(static_cast<std::size_t>(length * block_lines));
    auto* data = reinterpret_cast<typename F::Complex*>(scratch.data());
    const std::scoped_lock lock(fftw_planner_mutex());
    for (const int direction : {0, 1}) {
      const int sign = direction == 0 ? FFTW_FORWARD : FFTW_BACKWARD;
      line_[direction] = F::many(length, 1, data, sign);
      block_[direction] = F::many(length, static_cast<int>(block_lines), data, sign);
      if (line_[direction] == nullptr || block_[direction] == nullptr) throw Error("fft: FFTW made no plan");
    }
  }
  ~LinePlans() {
    const std::scoped_lock lock(fftw_planner_mutex());
    for (const int direction : {0, 1}) {
      Fftw<Real>::destroy(line_[direction]);
      Fftw<Real>::destroy(block_[direction]);
    }
  }
  LinePlans(const LinePlans&) = delete;
  LinePlans& operator=(const LinePlans&) = delete;

  void line(FftDirection direction, std::complex<Real>* data) const { run(line_, direction, data); }
  void block(FftDirection direction, std::complex<Real>* data) const { run(block_, direction, data); }

 private:
  using Pair = std::array<typename Fftw<Real>::Plan, 2>;
  static void run(const Pair& plans, FftDirection direction, std::complex<Real>* data) {
    const auto plan = plans[direction == FftDirection::forward ? 0 : 1];
    Fftw<Real>::execute(plan, reinterpret_cast<typename Fftw<Real>::Complex*>(data));
  }

  Pair line_{};
  Pair block_{};
};

template <class Real>
class FftwPlan final : public FftPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit FftwPlan(const Shape& grid) : points_(grid.size()) {
    Index stride = 1;
    for (int axis = grid.rank() - 1; axis >= 0; --axis) {
      axes_.push_back({grid[axis], stride, plans_for(grid[axis])});
      stride *= grid[axis];
    }
  }

  void execute(const Context& ctx, FftDirection direction, Complex* grids, Index batch) const override {
    for (const Axis& axis : axes_) {
      if (axis.length == 1) continue;
      if (axis.stride == 1) {
        contiguous_lines(ctx, direction, axis, grids, batch * points_ / axis.length);
      } else {
        strided_lines(ctx, direction, axis, grids, batch * points_ / (axis.length * axis.stride));
      }
      ctx.check_cancel("FFT");
    }
  }

 private:
  struct Axis {
    Index length;
    Index stride;
    std::shared_ptr<const LinePlans<Real>> plans;
  };

  std::shared_ptr<const LinePlans<Real>> plans_for(Index length) const {
    for (const Axis& axis : axes_) {
      if (axis.length == length) return axis.plans;
    }
    return std::make_shared<const LinePlans<Real>>(static_cast<int>(length));
  }

  static void contiguous_lines(const Context& ctx, FftDirection direction, const Axis& axis, Complex* data,
                               Index lines) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, 4 * lines * axis.length))
    for (Index line = 0; line < lines; ++line) {
      if (ctx.cancel_requested()) continue;
      axis.plans->line(direction, data + line * axis.length);
    }
  }

  static void strided_lines(const Context& ctx, FftDirection direction, const Axis& axis, Complex* data,
                            Index outer_count) {
    const Index blocks = divide_up(axis.stride, block_lines);
    const int threads = threads_for(ctx, 4 * outer_count * axis.stride * axis.length);
    Array<Complex> work(ctx, {threads, block_lines, axis.length});
#pragma omp parallel num_threads(threads)
    {
      Complex* buffer = work.data() + omp_get_thread_num() * block_lines * axis.length;
#pragma omp for schedule(static)
      for (Index task = 0; task < outer_count * blocks; ++task) {
        if (ctx.cancel_requested()) continue;
        const Index first = task % blocks * block_lines;
        Complex* start = data + task / blocks * axis.length * axis.stride + first;
        transform_block(direction, axis, start, std::min(block_lines, axis.stride - first), buffer);
      }
    }
  }

  static void transform_block(FftDirection direction, const Axis& axis, Complex* start, Index lines, Complex* buffer) {
    for (Index i = 0; i < axis.length; ++i) {
      for (Index line = 0; line < lines; ++line) buffer[line * axis.length + i] = start[i * axis.stride + line];
    }
    if (lines == block_lines) {
      axis.plans->block(direction, buffer);
    } else {
      for (Index line = 0; line < lines; ++line) axis.plans->line(direction, buffer + line * axis.length);
    }
    for (Index i = 0; i < axis.length; ++i) {
      for (Index line = 0; line < lines; ++line) start[i * axis.stride + line] = buffer[line * axis.length + i];
    }
  }

  Index points_;
  std::vector<Axis> axes_;
};

template <class Real>
std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& /*ctx*/, const Shape& grid) {
  return std::make_shared<const FftwPlan<Real>>(grid);
}

}  // namespace

void register_fft() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_fft_plan<Real>.set(DeviceKind::cpu, make_fft_plan<Real>);
  });
}

}  // namespace whorl::backend::cpu
