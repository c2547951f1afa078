// Transforms between samples and positions that lie anywhere.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "nufft.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/op/option_tables.hpp"
#include "whorl/op/position_dft.hpp"
#include "whorl/op/position_nufft.hpp"

namespace whorl::python {

namespace {

void bind_exact(Module& m) {
  def_made<
      "PositionDft(self, points: object, positions: object, coils: int = 1, *, dtype: object = "
      "'complex64', context)">(
      m,
      +[](nb::handle points_object, nb::handle positions_object, Index coils, nb::handle dtype, nb::handle context) {
        const Points points(points_object);
        const Points positions(positions_object, "positions");
        return made_operator(is_double_dtype(dtype), context_of(context, points.device()),
                             [&](auto real, const Context& ctx) {
                               return PositionDft<decltype(real)>(ctx, points.ref(), positions.ref(), coils);
                             });
      },
      R"(The exact transform between arbitrary positions r and samples k (type 3), without a factor in front:
y[c,j] = sum_v x[c,v] exp(-2 pi i k_j . r_v).

Shapes  points [sample, dim], positions [position, dim], dim 1 to 3; domain [coil, position], range [coil, sample]
Units   reciprocal to each other: k . r is in turns
Raises  ShapeError, ValueError (values that are not finite or beyond 1e30, k . r beyond 2^26 turns))");
}

void bind_fast(Module& m) {
  def_made<
      "PositionNufft(self, points: object, positions: object, coils: int = 1, *, options, dtype: "
      "object = 'complex64', context)">(
      m,
      +[](nb::handle points_object, nb::handle positions_object, Index coils, nb::handle dtype, nb::handle context,
          const NufftOptions& options) {
        const Points points(points_object);
        const Points positions(positions_object, "positions");
        return made_operator(is_double_dtype(dtype), context_of(context, points.device()),
                             [&](auto real, const Context& ctx) {
                               return PositionNufft<decltype(real)>(ctx, points.ref(), positions.ref(), coils, options);
                             });
      },
      R"(What PositionDft computes, fast (the NUFFT of type 3):
y[c,j] = sum_v x[c,v] exp(-2 pi i k_j . r_v), with an error of at most tolerance * |x| in the root
mean square over the samples.

It takes a grid of 2 s times the turns that k . r spans along each axis, s = 1.25 to 2: for far
positions and few of them PositionDft is faster.

Shapes  points [sample, dim], positions [position, dim], dim 1 to 3; domain [coil, position], range
        [coil, sample]
Units   reciprocal to each other: k . r is in turns
Raises  ShapeError, ValueError (unattainable tolerance, a grid that does not fit into memory)
Source  Lee and Greengard, J. Comput. Phys. 206 (2005) 1)",
      options_of<NufftOptions>({.but = {"normal"}}));
}

}  // namespace

void bind_positions(Module& m) {
  bind_exact(m);
  bind_fast(m);
}

}  // namespace whorl::python
