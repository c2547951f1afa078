#include "filter/src/cuda/ordered/median_network.hpp"
#include "filter/src/cuda/ordered/three_rows.cuh"

namespace whorl::backend::cuda {

namespace {

// The median of three sorted rows is the median of three numbers: the largest of their smallest ones, the median of
// their middle ones, and the smallest of their largest ones.
struct MedianOfNine {
  static constexpr const char* name = "median";

  template <class Keys>
  struct Row {
    Keys low, mid, high;
  };
  template <class Keys>
  static __device__ __forceinline__ Row<Keys> of_row(Keys left, Keys at, Keys right) {
    Row<Keys> row;
    sort_three(left, at, right, row.low, row.mid, row.high);
    return row;
  }
  template <class Keys>
  static __device__ __forceinline__ Keys of_rows(const Row<Keys>& a, const Row<Keys>& b, const Row<Keys>& c) {
    const Keys low = larger(larger(a.low, b.low), c.low);
    const Keys high = smaller(smaller(a.high, b.high), c.high);
    return middle(low, middle(a.mid, b.mid, c.mid), high);
  }
  // The medians of the three upper and of the three lower rows. Common results of the two middle rows are computed
  // once, except the largest of three numbers, which is one instruction.
  template <class Keys>
  static __device__ __forceinline__ void of_four_rows(const Row<Keys>& a, const Row<Keys>& b, const Row<Keys>& c,
                                                      const Row<Keys>& d, Keys& upper, Keys& lower) {
    const Keys least = smaller(b.mid, c.mid);
    const Keys most = larger(b.mid, c.mid);
    const Keys high = smaller(b.high, c.high);
    const auto finish = [&](Keys low, const Row<Keys>& other) {
      const Keys mid = larger(least, smaller(most, other.mid));
      return larger(smaller(low, mid), smaller(smaller(larger(low, mid), high), other.high));
    };
    upper = finish(larger(larger(a.low, b.low), c.low), a);
    lower = finish(larger(larger(c.low, d.low), b.low), d);
  }
};

}  // namespace

template <class T>
bool median_of_three_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge,
                          const kernels::PointEnds& ends, const T* from, T* to) {
  return three_rows::walk_rows<MedianOfNine>(ctx, format, edge, ends, from, to);
}

#define WHORL_INSTANTIATE(T)                                                                                          \
  template bool median_of_three_rows(const Context&, const ImageFormat&, kernels::Edge<T>, const kernels::PointEnds&, \
                                     const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
