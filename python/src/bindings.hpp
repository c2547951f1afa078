// The parts of the extension module, one for each layer of the library. Each file binds what its layer has.
#pragma once

#include <nanobind/nanobind.h>

namespace whorl::python {

namespace nb = nanobind;

void bind_core(nb::module_& m);
void bind_trajectory(nb::module_& m);
void bind_designed(nb::module_& m);
void bind_density(nb::module_& m);
void bind_calib(nb::module_& m);
void bind_estimates(nb::module_& m);
void bind_fit(nb::module_& m);
void bind_corrections(nb::module_& m);
void bind_delays(nb::module_& m);
void bind_shifts(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_phantom(nb::module_& m);
void bind_op(nb::module_& m);
void bind_nufft(nb::module_& m);
void bind_positions(nb::module_& m);
void bind_prox(nb::module_& m);
void bind_proximal_solvers(nb::module_& m);
void bind_solver(nb::module_& m);
void bind_geometry(nb::module_& m);
void bind_scan(nb::module_& m);
void bind_recon(nb::module_& m);
void bind_results(nb::module_& m);
void bind_subspace(nb::module_& m);
void bind_io(nb::module_& m);
void bind_pulseq(nb::module_& m);
void bind_filter(nb::module_& m);
void bind_plot(nb::module_& m);
void bind_measure(nb::module_& m);
void bind_pickles(nb::module_& m);

}  // namespace whorl::python
