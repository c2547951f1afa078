// The stages of a transform along lines, known at compile time for the common lengths and at run time for the others.
// Kernels are written once for both: the properties of a stage are constants in one case and variables in the other.
#pragma once

#include "backend/cuda/lines/line_fft.hpp"
#include "backend/cuda/lines/line_fft_tuning.hpp"
#include "backend/cuda/lines/small_dft.cuh"

namespace whorl::backend::cuda {

/// One stage of StaticPlan: splits blocks of radix * span points.
template <int radix_, int span_, int table_, bool first_, bool last_>
struct StaticStage {
  static constexpr int span = span_;
  static constexpr int table = table_;
  static constexpr bool first = first_;
  static constexpr bool last = last_;
  __device__ __forceinline__ static constexpr int block_of(int butterfly) {
    return static_cast<int>(static_cast<unsigned>(butterfly) / span);
  }
};

/// A transform whose radices are given, in blocks of up to `packets` packets of lines; `threads_` threads share a line,
/// and a multiprocessor has registers for `threads_at_once`.
template <int packets, int threads_, int threads_at_once, int... radices>
struct StaticPlan {
  static constexpr int stages = sizeof...(radices);
  static constexpr int radix[stages] = {radices...};
  static constexpr int length = (1 * ... * radices);
  static constexpr int threads = threads_;
  static constexpr int block_threads = packets * threads;
  static constexpr int blocks_at_once = threads_at_once / block_threads;

  __device__ __forceinline__ StaticPlan(const LineStages&, int) {}

  template <class Function>
  __device__ __forceinline__ void each(const Function& f) const {
    unroll<stages>([&](auto s) { visit<s>(f); });
  }
  template <class Function>
  __device__ __forceinline__ void each_but_last(const Function& f) const {
    unroll<stages - 1>([&](auto s) { visit<s>(f); });
  }
  template <class Function>
  __device__ __forceinline__ void each_but_last_backwards(const Function& f) const {
    unroll<stages - 1>([&](auto s) { visit<stages - 2 - s>(f); });
  }
  template <class Function>
  __device__ __forceinline__ void last(const Function& f) const {
    visit<stages - 1>(f);
  }

 private:
  __host__ __device__ static constexpr int span_of(int s) {
    int span = length;
    for (int i = 0; i <= s; ++i) span /= radix[i];
    return span;
  }
  __host__ __device__ static constexpr int table_of(int s) {
    int table = 0;
    for (int i = 0; i < s; ++i) table += span_of(i) * (radix[i] - 1);
    return table;
  }
  template <int s, class Function>
  __device__ __forceinline__ static void visit(const Function& f) {
    f(Constant<radix[s]>{}, StaticStage<radix[s], span_of(s), table_of(s), s == 0, s == stages - 1>{});
  }
};

/// A transform whose radices are an argument of the launch.
struct DynamicPlan {
  static constexpr int block_threads = tuning::dynamic_block_threads;
  static constexpr int blocks_at_once = tuning::dynamic_blocks_at_once;
  const LineStages& stages;
  int length;
  int threads;

  __device__ __forceinline__ DynamicPlan(const LineStages& list, int threads_of_line)
      : stages(list), length(list.length), threads(threads_of_line) {}

  template <class Function>
  __device__ __forceinline__ void each(const Function& f) const {
    for (int s = 0; s < stages.count; ++s) visit(s, f);
  }
  template <class Function>
  __device__ __forceinline__ void each_but_last(const Function& f) const {
    for (int s = 0; s < stages.count - 1; ++s) visit(s, f);
  }
  template <class Function>
  __device__ __forceinline__ void each_but_last_backwards(const Function& f) const {
    for (int s = stages.count - 2; s >= 0; --s) visit(s, f);
  }
  template <class Function>
  __device__ __forceinline__ void last(const Function& f) const {
    visit(stages.count - 1, f);
  }

 private:
  struct Stage {
    int span;
    int table;
    bool first;
    bool last;
    unsigned reciprocal;
    __device__ __forceinline__ int block_of(int butterfly) const {
      return span == 1 ? butterfly : static_cast<int>(__umulhi(static_cast<unsigned>(butterfly), reciprocal));
    }
  };

  template <class Function>
  __device__ __forceinline__ void visit(int s, const Function& f) const {
    const LineStages::Stage& given = stages.stage[s];
    const Stage stage{given.span, given.table, s == 0, s == stages.count - 1, given.reciprocal};
    switch (given.radix) {
      case 1:
        return f(Constant<1>{}, stage);
      case 2:
        return f(Constant<2>{}, stage);
      case 3:
        return f(Constant<3>{}, stage);
      case 4:
        return f(Constant<4>{}, stage);
      case 5:
        return f(Constant<5>{}, stage);
      case 6:
        return f(Constant<6>{}, stage);
      case 8:
        return f(Constant<8>{}, stage);
      case 9:
        return f(Constant<9>{}, stage);
      case 10:
        return f(Constant<10>{}, stage);
      default:
        __builtin_unreachable();
    }
  }
};

}  // namespace whorl::backend::cuda
