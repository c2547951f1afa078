#include "filter/src/cuda/ordered/morphology_three.hpp"
#include "filter/src/cuda/ordered/three_rows.cuh"

namespace whorl::backend::cuda {

namespace {

using kernels::Extremum;

template <Extremum which>
struct ExtremumOfNine {
  static constexpr const char* name = "window_extremum";

  template <class Keys>
  struct Row {
    Keys best;
  };
  template <class Keys>
  static __device__ __forceinline__ Keys of(Keys a, Keys b, Keys c) {
    if constexpr (which == Extremum::smallest) return smaller(smaller(a, b), c);
    if constexpr (which == Extremum::largest) return larger(larger(a, b), c);
  }
  template <class Keys>
  static __device__ __forceinline__ Row<Keys> of_row(Keys left, Keys at, Keys right) {
    return {of(left, at, right)};
  }
  template <class Keys>
  static __device__ __forceinline__ Keys of_rows(const Row<Keys>& a, const Row<Keys>& b, const Row<Keys>& c) {
    return of(a.best, b.best, c.best);
  }
  template <class Keys>
  static __device__ __forceinline__ void of_four_rows(const Row<Keys>& a, const Row<Keys>& b, const Row<Keys>& c,
                                                      const Row<Keys>& d, Keys& upper, Keys& lower) {
    upper = of(a.best, b.best, c.best);
    lower = of(c.best, d.best, b.best);
  }
};

}  // namespace

template <class T>
bool extremum_of_three_rows(const Context& ctx, const ImageFormat& format, Extremum which, kernels::Edge<T> edge,
                            const kernels::PointEnds& ends, const T* from, T* to) {
  return which == Extremum::smallest
             ? three_rows::walk_rows<ExtremumOfNine<Extremum::smallest>>(ctx, format, edge, ends, from, to)
             : three_rows::walk_rows<ExtremumOfNine<Extremum::largest>>(ctx, format, edge, ends, from, to);
}

#define WHORL_INSTANTIATE(T)                                                                           \
  template bool extremum_of_three_rows(const Context&, const ImageFormat&, Extremum, kernels::Edge<T>, \
                                       const kernels::PointEnds&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
