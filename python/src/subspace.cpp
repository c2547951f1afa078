// Series of images within a subspace of time courses.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <complex>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "run.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl::python {

namespace {

using Exact = std::complex<double>;

// make(ctx, values) of an array, which is rounded to double precision.
template <class Make>
SubspaceBasis basis_of(nb::handle object, const char* name, const Make& make) {
  Input input(object, name);
  const Array<Exact> values = host_copy<Exact>(input);
  return run(context_of(nb::none()), [&](const Context& ctx) { return make(ctx, values); });
}

void bind_basis(Module& m) {
  Class<SubspaceBasis> basis(
      m, "SubspaceBasis",
      "A few courses over the frames of a slice, orthonormal: what recon(subspace=) combines images of.\n\n"
      "basis_of_signals, basis_of_vectors and low_resolution_basis make one.");
  def_array<&SubspaceBasis::vectors>(basis, "vectors", "complex128 [frame, component].");
  basis.def_ro("part", &SubspaceBasis::part, "Of the energy of what it was made of that lies in it.")
      .def_ro("origin", &SubspaceBasis::origin, "A sentence.")
      .def_prop_ro("frames", &SubspaceBasis::frames, "Length of each course.")
      .def_prop_ro("components", &SubspaceBasis::components, "Number of courses.")
      .def("__repr__", [](const SubspaceBasis& self) {
        return "<whorl.SubspaceBasis of " + std::to_string(self.components()) + " components, " +
               std::to_string(self.frames()) + " frames>";
      });
  def<"basis_of_vectors(vectors: object, rank: int) -> SubspaceBasis">(
      m,
      [](nb::handle vectors, Index rank) {
        return basis_of(vectors, "vectors", [&](const Context& ctx, const Array<Exact>& values) {
          return basis_of_vectors(ctx, values, rank);
        });
      },
      R"(The span of the first `rank` columns of a matrix, orthonormalized in their order.

Shapes  vectors [frame, component]
Raises  ShapeError, ValueError (fewer columns than `rank` or than frames, columns that depend on each other, values
        that are not finite))");
  def<"basis_of_signals(signals: object, rank: int) -> SubspaceBasis">(
      m,
      [](nb::handle signals, Index rank) {
        return basis_of(signals, "signals", [&](const Context& ctx, const Array<Exact>& values) {
          return basis_of_signals(ctx, values, rank);
        });
      },
      R"(The principal components of signals, which are real where all signals are; not centered.

Shapes    signals [signal, frame]
Accuracy  components below 1e-7 of the largest singular value are rounding
Raises    ShapeError, ValueError (a rank below 1 or above the number of frames, values that are not finite, or all 0))");
  def<"decay_signals(kind: typing.Literal['t1', 't2'], relaxation_ms: tuple[float, float], times_ms: "
      "object) -> Array">(
      m,
      [](const std::string& kind, const std::array<double, 2>& relaxation_ms, nb::handle times_object) {
        if (kind != "t1" && kind != "t2") throw ValueError("decay_signals: kind is '" + kind + "', expected t1 or t2");
        const std::vector<double> times = numbers_from(times_object, "times_ms");
        return to_python(run(context_of(nb::none()), [&](const Context& ctx) {
          return decay_signals(ctx, kind == "t2" ? DecayKind::t2 : DecayKind::t1, relaxation_ms, times);
        }));
      },
      R"(Signals of 256 relaxation times, evenly spaced in their logarithm from the shortest to the longest: t2, exp(-t/T2);
t1, 1 - 2 exp(-t/T1), the recovery after an inversion. For basis_of_signals.

Shapes  times_ms [frame]; result complex128 [signal, frame]
Units   ms
Raises  ValueError (relaxation times that are not 0 < shortest < longest, times below 0 or not finite))");
  def<"low_resolution_basis(scan: Scan, rank: int, resolution: int = 16, *, context) -> SubspaceBasis">(
      m,
      [](const Scan& scan, Index rank, Index resolution, nb::handle context) {
        return run(context_of(context),
                   [&](const Context& ctx) { return low_resolution_basis(ctx, scan, rank, resolution); });
      },
      R"(The principal components over time of the frames of the first slice at low resolution: the center of k-space of each
frame and coil on `resolution` points along each axis, by least squares.

Raises  ValueError (fewer than two frames, no samples in the center, a rank above the number of frames), Cancelled)");
}

void bind_frames_of_subspace(Module& m) {
  def<"subspace_frames(coefficients: object, basis: SubspaceBasis) -> Array">(
      m,
      [](nb::handle coefficients_object, const SubspaceBasis& basis) {
        const auto coefficients = host_array<std::complex<float>>(Input(coefficients_object, "coefficients"));
        return to_python(
            run(context_of(nb::none()), [&](const Context& ctx) { return subspace_frames(ctx, coefficients, basis); }));
      },
      R"(The frames of one slice or volume.

Shapes  coefficients complex64 [component, z, y, x]; result complex64 [frame, z, y, x]
Raises  ShapeError)");
}

}  // namespace

void bind_subspace(Module& m) {
  bind_basis(m);
  bind_frames_of_subspace(m);
}

}  // namespace whorl::python
