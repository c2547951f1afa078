// The extension module whorl._core. The package in python/whorl gives its names to users.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  namespace py = whorl::python;
  // A function of a script that a context or an operator holds refers to the script's names, and these to the context: such
  // a circle lives until the end of the program, where nobody has to hear of it.
  nanobind::set_leak_warnings(false);
  m.doc() = "whorl's C++ library.";
  py::bind_core(m);
  py::bind_trajectory(m);
  py::bind_designed(m);
  py::bind_geometry(m);
  py::bind_scan(m);
  py::bind_density(m);
  py::bind_calib(m);
  py::bind_phantom(m);
  py::bind_op(m);
  py::bind_nufft(m);
  py::bind_positions(m);
  py::bind_prox(m);
  py::bind_solver(m);
  py::bind_proximal_solvers(m);
  py::bind_estimates(m);
  py::bind_delays(m);
  py::bind_corrections(m);
  py::bind_shifts(m);
  py::bind_frames(m);
  py::bind_fit(m);
  py::bind_results(m);
  py::bind_recon(m);
  py::bind_plan(m);
  py::bind_subspace(m);
  py::bind_io(m);
  py::bind_pulseq(m);
  py::bind_measure(m);
  py::bind_plot(m);
  py::bind_filter(m);
  py::bind_pickles(m);
}
