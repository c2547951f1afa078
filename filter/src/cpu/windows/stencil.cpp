// Correlation with small kernels, on a CPU. The first code in this list that takes the image and the kernel is used:
//
//   bytes to bytes, sums and last step in 16 bits   byte_stencil    two products in an instruction
//   floats, a small kernel, no point operations     float_stencil   reads rows in place, copies nothing
//   floats, five rows and more                      dense_sums      four rows of results share what they read
//   floats                                          tap_sums        two rows of results; a kernel that is a column
//                                                                   times a row is summed along both in turn
//   integers, sums in 32 bits                       tap_sums        pairs of 16 bits, two products in an instruction
//   integers, larger sums                           tap_sums        double, which holds them exactly
//
// Large kernels do not come here: filters/windows/large_kernel.cpp takes the transform.
#include "filter/src/kernels/windows/stencil.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/parallel.hpp"
#include "filter/src/cpu/points/point_ends.hpp"
#include "filter/src/cpu/windows/byte_stencil.hpp"
#include "filter/src/cpu/windows/dense_sums.hpp"
#include "filter/src/cpu/windows/float_stencil.hpp"
#include "filter/src/cpu/windows/stencil_rows.hpp"
#include "filter/src/cpu/windows/stencil_taps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Stencil;

// Sizes of parts of the image. For small kernels long rows matter more than the first-level cache; for large kernels
// rows have to stay in the second-level cache.
constexpr Index strip_rows = 32;
Index numbers_of_strip(Index kernel_height) {
  constexpr Index small_kernel = 5;
  constexpr Index many = 1536;  // both are whole pixels for any number of channels
  constexpr Index few = 768;
  return kernel_height <= small_kernel ? many : few;
}

// The last step in double. It is the same on every device, because its result is far enough from the next integer.
template <class Sum, class Out>
void finish_wide(const Stencil& stencil, const Sum* sums, Index count, Out* to) {
  for (Index i = 0; i < count; ++i) {
    const auto sum = static_cast<double>(sums[i]);
    const double value = (stencil.absolute ? std::abs(sum) : sum) * stencil.scale + stencil.offset;
    if constexpr (std::is_floating_point_v<Out>) {
      to[i] = static_cast<Out>(value);
    } else {
      to[i] = static_cast<Out>(std::clamp(value, 0.0, static_cast<double>(std::numeric_limits<Out>::max())));
    }
  }
}

/// The scratch memory of a thread.
template <class T>
struct Workspace {
  std::vector<T> rows;                // two rows of the image
  std::vector<std::int32_t> pairs;    // rows of pairs
  std::vector<std::int32_t> sums;     // two rows of unfinished sums, or of a column's sums
  std::vector<std::int32_t> along;    // pairs along a row of a column's sums
  std::vector<float> floats, column;  // rows of numbers; two rows of a column's sums
  std::vector<double> doubles, wide;
};

/// All taps of a stencil.
template <class T>
struct Plan {
  Taps<std::int32_t> pairs, pair_row;
  Taps<float> floats, inside, float_row;  // over loaded rows, and over the image itself
  Taps<double> doubles;
  std::int32_t start = 0;
  bool separable = false;
};

template <class T>
bool fits_16_bits(const std::vector<std::int32_t>& column) {
  Index sum = 0;
  for (const std::int32_t weight : column) sum += std::abs(Index{weight});
  return sum * std::numeric_limits<T>::max() <= std::numeric_limits<std::int16_t>::max();
}

// The cost of a second pass over the rows, in products.
constexpr Index second_pass = 6;

template <class T>
Plan<T> plan_of(const Job<T>& job) {
  const Stencil& stencil = job.stencil;
  const bool pays = 2 * (stencil.width + stencil.height) + 2 * second_pass < stencil.width * stencil.height;
  Plan<T> plan;
  if constexpr (std::is_floating_point_v<T>) {
    plan.separable = pays && !stencil.real_column.empty();
    const auto taps_over = [&](Index pitch) {
      return plan.separable ? real_taps<float>(stencil.real_column, 1, pitch, job.channels)
                            : real_taps<float>(stencil.reals, stencil.width, pitch, job.channels);
    };
    plan.floats = taps_over(job.pitch);
    plan.inside = taps_over(job.format.row());
    plan.float_row = row_taps(stencil.real_row, job.channels);
  } else if (stencil.short_sums) {
    plan.separable = pays && !stencil.integer_column.empty() && fits_16_bits<T>(stencil.integer_column);
    plan.pairs = plan.separable ? pair_taps(stencil.integer_column, 1, job.pitch, job.channels)
                                : pair_taps(stencil.integers, stencil.width, job.pitch, job.channels);
    plan.pair_row = row_taps(stencil.integer_row, job.channels);
    if constexpr (sizeof(T) == 2) {
      // pack_pairs subtracts this from each number.
      constexpr std::uint32_t taken = 0x8000;
      std::uint32_t sum = 0;
      for (const std::int32_t weight : stencil.integers) sum += static_cast<std::uint32_t>(weight);
      plan.start = static_cast<std::int32_t>(taken * sum);
    }
  } else {
    plan.doubles = real_taps<double>(stencil.integers, stencil.width, job.pitch, job.channels);
  }
  return plan;
}

// The rows of pairs that an even number of pairs of rows of results needs.
template <class T>
void load_pairs(const Job<T>& job, const Part& part, Index rows, Workspace<T>& work) {
  const auto pitch = static_cast<std::size_t>(job.pitch);
  work.rows.resize(2 * pitch);
  work.pairs.resize(static_cast<std::size_t>(rows) * pitch);
  const Index top = part.top - job.stencil.height / 2;
  T* const spare[2] = {work.rows.data(), work.rows.data() + pitch};
  const T* upper = row_at(job, part, top, spare[0]);
  for (Index row = 0; row < rows; ++row) {
    const T* lower = row_at(job, part, top + row + 1, spare[(row + 1) % 2]);
    pack_pairs(upper, lower, static_cast<std::size_t>(part.count + job.halo()), work.pairs.data() + row * job.pitch);
    upper = lower;
  }
}

template <class T, class Out>
void sum_pairs(const Context& ctx, const Job<T>& job, const Plan<T>& plan, const Part& part, Workspace<T>& work,
               Rows<Out>& rows) {
  const Stencil& stencil = job.stencil;
  constexpr Index group = 4;  // rows 0 and 2, then 1 and 3
  const Index groups = divide_up(part.rows, group);
  load_pairs(job, part, groups * group + stencil.height - 1, work);
  const TapFinish finish = finish_of<Out>(stencil);
  const std::int32_t first = finish.plain ? static_cast<std::int32_t>(std::floor(stencil.offset)) : 0;
  const auto start =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(plan.start) + static_cast<std::uint32_t>(first));
  const auto count = static_cast<std::size_t>(part.count);
  const auto pitch = static_cast<std::size_t>(job.pitch);
  work.sums.resize(2 * pitch);
  work.along.resize(pitch);
  std::int32_t* const sums[2] = {work.sums.data(), work.sums.data() + pitch};
  const auto put = [&](const std::int32_t* column, Out* target) {
    pack_pairs(column, column + job.channels, static_cast<std::size_t>(part.count + job.halo()), work.along.data());
    if (stencil.single_finish) {
      pair_sums(work.along.data(), plan.pair_row, first, finish, count, target, static_cast<Out*>(nullptr));
    } else {
      std::vector<std::int32_t>& row = work.along;
      pair_sums(row.data(), plan.pair_row, 0, finish, count, row.data(), static_cast<std::int32_t*>(nullptr));
      finish_wide(stencil, row.data(), part.count, target);
    }
  };
  for (Index step = 0; step < groups * 2 && !ctx.cancel_requested(); ++step) {
    const Index row = step / 2 * group + step % 2;
    if (row >= part.rows) continue;
    const std::int32_t* pairs = work.pairs.data() + row * job.pitch;
    if (plan.separable) {
      pair_sums(pairs, plan.pairs, 0, finish, count + static_cast<std::size_t>(job.halo()), sums[0], sums[1]);
      put(sums[0], rows(row));
      put(sums[1], rows(row + 2));
    } else if (stencil.single_finish) {
      pair_sums(pairs, plan.pairs, start, finish, count, rows(row), rows(row + 2));
    } else {
      pair_sums(pairs, plan.pairs, plan.start, finish, count, sums[0], sums[1]);
      finish_wide(stencil, sums[0], part.count, rows(row));
      finish_wide(stencil, sums[1], part.count, rows(row + 2));
    }
  }
}

// Rows of results that are summed are a multiple of this.
constexpr Index row_group = dense_rows;
Index rounded_rows(const Part& part) { return round_up(part.rows, row_group); }

// Rows of numbers for them.
template <class T, class Real>
void load_reals(const Job<T>& job, const Part& part, std::vector<Real>& numbers, Workspace<T>& work) {
  const Index rows = rounded_rows(part) + job.stencil.height - 1;
  numbers.resize(static_cast<std::size_t>(rows * job.pitch));
  work.rows.resize(static_cast<std::size_t>(job.pitch));
  const Index top = part.top - job.stencil.height / 2;
  for (Index row = 0; row < rows; ++row) {
    Real* to = numbers.data() + row * job.pitch;
    if constexpr (std::is_same_v<T, Real>) {
      load_row(job, part, top + row, to);
    } else {
      load_row(job, part, top + row, work.rows.data());
      std::copy_n(work.rows.data(), part.count + job.halo(), to);
    }
  }
}

// Rows that are a multiple of a page apart compete for the same sets of the first-level cache. If there are more of
// them than the cache has ways, they are copied.
bool share_places(const Job<float>& job) {
  constexpr Index page_bytes = 4096;
  constexpr Index cache_ways = 8;
  return job.stencil.height > cache_ways && job.format.row() * static_cast<Index>(sizeof(float)) % page_bytes == 0;
}

void sum_floats(const Context& ctx, const Job<float>& job, const Plan<float>& plan, const Part& part,
                Workspace<float>& work, Rows<float>& rows) {
  const Index top = part.top - job.stencil.height / 2;
  const Index bottom = top + rounded_rows(part) + job.stencil.height - 1;
  const bool inside = top >= 0 && bottom <= job.format.height && lies_inside(job, part) && !share_places(job);
  if (!inside) load_reals(job, part, work.floats, work);
  const float* from = inside ? row_at<float>(job, part, top, nullptr) : work.floats.data();
  const Index pitch_from = inside ? job.format.row() : job.pitch;
  const Taps<float>& taps = inside ? plan.inside : plan.floats;
  const TapFinish finish = finish_of<float>(job.stencil);
  const auto count = static_cast<std::size_t>(part.count);
  const auto pitch = static_cast<std::size_t>(job.pitch);
  work.column.resize(2 * pitch);
  float* const column[2] = {work.column.data(), work.column.data() + pitch};
  if (!plan.separable && job.stencil.height >= least_dense_height) {
    const DenseKernel kernel{job.stencil.reals, job.stencil.width, job.stencil.height, pitch_from, job.channels};
    Index row = 0;
    while (row < part.rows && !ctx.cancel_requested() &&
           dense_sums(from + row * pitch_from, kernel, finish, part.count,
                      {rows(row), rows(row + 1), rows(row + 2), rows(row + 3)})) {
      row += dense_rows;
    }
    if (row > 0) return;
  }
  for (Index row = 0; row < part.rows && !ctx.cancel_requested(); row += 2) {
    const float* numbers = from + row * pitch_from;
    if (!plan.separable) {
      real_sums(numbers, taps, finish, count, rows(row), rows(row + 1));
      continue;
    }
    real_sums(numbers, taps, {}, count + static_cast<std::size_t>(job.halo()), column[0], column[1]);
    for (Index r = 0; r < 2; ++r) real_sums(column[r], plan.float_row, finish, count, rows(row + r), nullptr);
  }
}

template <class T, class Out>
void sum_doubles(const Context& ctx, const Job<T>& job, const Plan<T>& plan, const Part& part, Workspace<T>& work,
                 Rows<Out>& rows) {
  load_reals(job, part, work.doubles, work);
  const auto pitch = static_cast<std::size_t>(job.pitch);
  work.wide.resize(2 * pitch);
  double* const sums[2] = {work.wide.data(), work.wide.data() + pitch};
  for (Index row = 0; row < part.rows && !ctx.cancel_requested(); row += 2) {
    real_sums(work.doubles.data() + row * job.pitch, plan.doubles, {}, static_cast<std::size_t>(part.count), sums[0],
              sums[1]);
    finish_wide(job.stencil, sums[0], part.count, rows(row));
    finish_wide(job.stencil, sums[1], part.count, rows(row + 1));
  }
}

template <class T, class Out>
void stencil(const Context& ctx, const ImageFormat& format, const Stencil& stencil, const kernels::PointEnds& ends,
             const void* from, void* to) {
  const Index channels = count_of(format.channels);
  const RowsIn<T> in(ends.load, from, format.width, channels);
  const RowsOut<Out> out(ends.store, to, format.width, channels);
  if constexpr (std::is_same_v<Out, std::uint8_t>) {
    if (const auto plan = byte_plan(stencil)) {
      byte_stencil(ctx, format, stencil, *plan, in, out);
      return;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (!in.are_made() && !out.are_made() && fits_float_stencil(format, stencil)) {
      float_stencil(ctx, format, stencil, in.row(0), out.at(0, 0));
      return;
    }
  }
  const Index strip_numbers = numbers_of_strip(stencil.height);
  const Index longest = std::min(strip_numbers, format.row());
  const Job<T> job{format, stencil, in, channels,
                   longest + (stencil.width - 1) * channels + 2 * static_cast<Index>(tap_slack)};
  const Plan<T> plan = plan_of(job);
  const Index strips = divide_up(format.height, strip_rows);
  const Index columns = divide_up(format.row(), strip_numbers);
  std::vector<Workspace<T>> workspaces(static_cast<std::size_t>(ctx.threads()));
  detail::parallel_threads(ctx, ctx.threads(), format.slices() * strips * columns, [&](const auto& turns) {
    std::vector<Out> results(static_cast<std::size_t>(out.are_made() ? strip_rows * longest : 0));
    Workspace<T>& work = workspaces[static_cast<std::size_t>(omp_get_thread_num())];
    turns([&](Index at) {
      Part part{at / (strips * columns), at / columns % strips * strip_rows, 0, at % columns * strip_numbers, 0};
      part.rows = std::min(strip_rows, format.height - part.top);
      part.count = std::min(strip_numbers, format.row() - part.first);
      const Index top = part.slice * format.height + part.top;
      const Index left = part.first / channels;
      Rows<Out> rows(out.are_made() ? results.data() : out.at(top, left), out.are_made() ? part.count : format.row(),
                     part);
      if constexpr (std::is_floating_point_v<T>) {
        sum_floats(ctx, job, plan, part, work, rows);
      } else if (stencil.short_sums) {
        sum_pairs(ctx, job, plan, part, work, rows);
      } else {
        sum_doubles(ctx, job, plan, part, work, rows);
      }
      for (Index row = 0; out.are_made() && row < part.rows; ++row) {
        out.store(top + row, left, part.count / channels, rows(row));
      }
    });
  });
}

}  // namespace

void register_stencil() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::stencil<T, T>.set(DeviceKind::cpu, stencil<T, T>);
    kernels::stencil<T, float>.set(DeviceKind::cpu, stencil<T, float>);
  });
}

}  // namespace whorl::backend::cpu
