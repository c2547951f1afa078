#include "filter/src/kernels/geometry/shift_sums.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

namespace {

// Sums over pieces of a row with at most `longest` numbers, so that none overflows.
template <class T>
using Partial = std::conditional_t<std::is_floating_point_v<T>, double,
                                   std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>>;
constexpr Index longest = 1 << 15;

template <class T>
void add_piece(const T* fixed, const T* moving, Index count, kernels::ShiftSums<T>& sums) {
  Partial<T> a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (Index i = 0; i < count; ++i) {
    const Partial<T> x = fixed[i];
    const Partial<T> y = moving[i];
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  using Number = typename kernels::ShiftSums<T>::Number;
  sums.fixed += static_cast<Number>(a);
  sums.moving += static_cast<Number>(b);
  sums.fixed_squared += static_cast<Number>(aa);
  sums.moving_squared += static_cast<Number>(bb);
  sums.product += static_cast<Number>(ab);
}

template <class T>
void shift_sums(const Context& ctx, const kernels::ShiftSumsJob& job, const T* fixed, const T* moving,
                kernels::ShiftSums<T>* sums) {
  const Index side = 2 * job.radius + 1;
  const Index shifts = side * side;
  const Index length = job.width * job.channels;
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic)
  for (Index at = 0; at < shifts * job.parts; ++at) {
    if (ctx.cancel_requested()) continue;
    const kernels::ShiftOverlap overlap = kernels::shift_overlap(job, at % shifts);
    const Index rows = overlap.bottom - overlap.top;
    const Index part = at / shifts;
    kernels::ShiftSums<T> sum{};
    for (Index row = job.slices * rows * part / job.parts; row < job.slices * rows * (part + 1) / job.parts; ++row) {
      if (ctx.cancel_requested()) break;
      const Index y = row / rows * job.height + overlap.top + row % rows;
      const T* a = fixed + y * length;
      const T* b = moving + (y + overlap.dy) * length + overlap.dx * job.channels;
      const Index end = overlap.right * job.channels;
      for (Index i = overlap.left * job.channels; i < end; i += longest) {
        add_piece(a + i, b + i, std::min(longest, end - i), sum);
      }
    }
    sums[at] = sum;
  }
}

}  // namespace

void register_shift_sums() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::shift_sums<T>.set(DeviceKind::cpu, shift_sums<T>);
  });
}

}  // namespace whorl::backend::cpu
