// The parts of the extension module, one for each layer of the library. Each file binds what its layer has.
#pragma once

#include "classes.hpp"

namespace whorl::python {

void bind_core(Module& m);
void bind_trajectory(Module& m);
void bind_designed(Module& m);
void bind_density(Module& m);
void bind_calib(Module& m);
void bind_estimates(Module& m);
void bind_fit(Module& m);
void bind_corrections(Module& m);
void bind_delays(Module& m);
void bind_shifts(Module& m);
void bind_frames(Module& m);
void bind_plan(Module& m);
void bind_phantom(Module& m);
void bind_op(Module& m);
void bind_nufft(Module& m);
void bind_positions(Module& m);
void bind_prox(Module& m);
void bind_proximal_solvers(Module& m);
void bind_solver(Module& m);
void bind_geometry(Module& m);
void bind_scan(Module& m);
void bind_recon(Module& m);
void bind_results(Module& m);
void bind_subspace(Module& m);
void bind_io(Module& m);
void bind_pulseq(Module& m);
void bind_filter(Module& m);
void bind_plot(Module& m);
void bind_measure(Module& m);
void bind_pickles(Module& m);

}  // namespace whorl::python
