// Hysteresis of Canny on a CPU.
#include "studies/image_filters/canny/host.hpp"

namespace whorl::studies::image_filters::host {

// step: one pass, branches
void one_pass(const Context& ctx, const Array<Byte>& marks, Byte* edges) {
  const Index height = marks.extent(0);
  const Index width = marks.extent(1);
  const auto mark = marks.view<2>();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      Byte edge = mark(y, x) == strong ? strong : Byte{0};
      if (mark(y, x) == weak) {
        for (Index j = y == 0 ? 0 : -1; j <= (y == height - 1 ? 0 : 1); ++j) {
          for (Index i = x == 0 ? 0 : -1; i <= (x == width - 1 ? 0 : 1); ++i) {
            if (mark(y + j, x + i) == strong) edge = strong;
          }
        }
      }
      edges[y * width + x] = edge;
    }
  }
}
// end of step

// step: one pass, divisions of integers; one pass, divisions of floats
template <class Number>
void one_pass_by_division(const Context& ctx, const Array<Byte>& marks, Byte* edges) {
  const Index height = marks.extent(0);
  const Index width = marks.extent(1);
  Array<Byte> framed = zeros<Byte>(ctx, {height + 2, width + 2});
  const auto mark = framed.view<2>();
#pragma omp parallel num_threads(ctx.threads())
  {
#pragma omp for schedule(static)
    for (Index y = 0; y < height; ++y) {
      const Byte* const row = marks.data() + y * width;
      std::copy(row, row + width, &mark(y + 1, 1));
    }
#pragma omp for schedule(static)
    for (Index y = 0; y < height; ++y) {
      for (Index x = 0; x < width; ++x) {
        const auto part = [&](Index j, Index i) {
          return static_cast<Number>(mark(y + 1 + j, x + 1 + i)) / static_cast<Number>(strong);
        };
        const Byte here = mark(y + 1, x + 1);
        const Number sum =
            part(-1, -1) + part(-1, 0) + part(-1, 1) + part(0, -1) + part(0, 1) + part(1, -1) + part(1, 0) + part(1, 1);
        const bool stays = here == strong || (here == weak && sum != 0);
        edges[y * width + x] = stays ? strong : Byte{0};
      }
    }
  }
}
// end of step

// step: connected components
// From every strong mark to its neighboring marks, and on from those, with a stack of pixels to visit. One thread: each
// mark is visited once.
void connected(const Context& /*ctx*/, const Array<Byte>& marks, Byte* edges) {
  const Index height = marks.extent(0);
  const Index width = marks.extent(1);
  const Byte* const mark = marks.data();
  std::vector<Index> stack;
  for (Index i = 0; i < marks.size(); ++i) {
    edges[i] = mark[i] == strong ? strong : Byte{0};
    if (mark[i] == strong) stack.push_back(i);
  }
  while (!stack.empty()) {
    const Index at = stack.back();
    stack.pop_back();
    const Index y = at / width;
    const Index x = at % width;
    for (Index j = y == 0 ? 0 : -1; j <= (y == height - 1 ? 0 : 1); ++j) {
      for (Index i = x == 0 ? 0 : -1; i <= (x == width - 1 ? 0 : 1); ++i) {
        const Index beside = at + j * width + i;
        if (mark[beside] == 0 || edges[beside] != 0) continue;
        edges[beside] = strong;
        stack.push_back(beside);
      }
    }
  }
}
// end of step

template void one_pass_by_division<int>(const Context&, const Array<Byte>&, Byte*);
template void one_pass_by_division<float>(const Context&, const Array<Byte>&, Byte*);

}  // namespace whorl::studies::image_filters::host
