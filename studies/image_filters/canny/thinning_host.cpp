// Thinning of Canny on a CPU.
#include <cmath>
#include <numbers>

#include "studies/image_filters/canny/host.hpp"

namespace whorl::studies::image_filters::host {

namespace {

// step: padding, the table as printed; padding, a table of the right index
Array<float> with_frame_of_zeros(const Context& ctx, const Array<float>& from) {
  const Index width = from.extent(1);
  Array<float> framed = zeros<float>(ctx, {from.extent(0) + 2, width + 2});
  const auto to = framed.view<2>();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index y = 0; y < from.extent(0); ++y) {
    const float* const row = from.data() + y * width;
    std::copy(row, row + width, &to(y + 1, 1));
  }
  return framed;
}
// end of step

// step: padding, the table as printed; padding, a table of the right index; directions found with the slopes
// Every pixel does alike: look up where the neighbors lie, compare. `direction_at` tells which row of the table.
template <class DirectionAt>
Array<Byte> thin(const Context& ctx, const Array<float>& framed, const DirectionAt& direction_at) {
  const Index height = framed.extent(0) - 2;
  const Index width = framed.extent(1) - 2;
  const auto length = framed.view<2>();
  Array<Byte> marks(ctx, {height, width});
  Byte* const to = marks.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Direction d = directions[static_cast<std::size_t>(direction_at(y * width + x))];
      const float here = length(y + 1, x + 1);
      const bool longest = here > length(y + 1 + d.y, x + 1 + d.x) && here > length(y + 1 - d.y, x + 1 - d.x);
      to[y * width + x] = longest ? mark_of(here) : Byte{0};
    }
  }
  return marks;
}
// end of step

}  // namespace

// step: double, branches; float
template <class Real>
Array<Byte> thin_by_branches(const Context& ctx, const Slopes<Real>& slopes) {
  const Index height = slopes.length.extent(0);
  const Index width = slopes.length.extent(1);
  constexpr Real eighth = std::numbers::pi_v<Real> / 8;
  const Real* const length = slopes.length.data();
  Array<Byte> marks(ctx, {height, width});
  Byte* const to = marks.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Real a = slopes.angle.data()[y * width + x];
      Direction d = directions[0];
      if ((a >= -eighth && a <= eighth) || a >= 7 * eighth || a <= -7 * eighth) {
        d = directions[0];
      } else if ((a > eighth && a <= 3 * eighth) || (a > -7 * eighth && a <= -5 * eighth)) {
        d = directions[1];
      } else if ((a >= 5 * eighth && a < 7 * eighth) || (a >= -3 * eighth && a < -eighth)) {
        d = directions[3];
      } else {
        d = directions[2];
      }
      const auto beside = [&](Index j, Index i) {
        if (i < 0 || j < 0 || i >= width || j >= height) return Real(0);
        return length[j * width + i];
      };
      const Real here = length[y * width + x];
      to[y * width + x] = 0;
      if (!(here <= beside(y + d.y, x + d.x) || here <= beside(y - d.y, x - d.x))) to[y * width + x] = mark_of(here);
    }
  }
  return marks;
}
// end of step

// step: padding, the table as printed
Array<Byte> thin_by_printed_table(const Context& ctx, const Slopes<float>& slopes) {
  const float* const angle = slopes.angle.data();
  // As the report prints it: the quotient is cut to a whole number before it is multiplied by 8, which leaves 0 for
  // every angle but pi, and the table's row 0 and row 8 are the same neighbors.
  return thin(ctx, with_frame_of_zeros(ctx, slopes.length), [angle](Index i) {
    const int row = static_cast<int>(std::abs(angle[i]) / std::numbers::pi_v<float>) * 8;
    return row % 8;
  });
}
// end of step

// step: padding, a table of the right index
Array<Byte> thin_by_table(const Context& ctx, const Slopes<float>& slopes) {
  const float* const angle = slopes.angle.data();
  return thin(ctx, with_frame_of_zeros(ctx, slopes.length), [angle](Index i) { return direction_of_angle(angle[i]); });
}
// end of step

// step: directions found with the slopes
Array<Byte> thin_by_sectors(const Context& ctx, const Sectors& sectors) {
  const Byte* const direction = sectors.direction.data();
  return thin(ctx, sectors.length, [direction](Index i) { return direction[i]; });
}
// end of step

template Array<Byte> thin_by_branches<double>(const Context&, const Slopes<double>&);
template Array<Byte> thin_by_branches<float>(const Context&, const Slopes<float>&);

}  // namespace whorl::studies::image_filters::host
