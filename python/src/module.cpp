// The extension module whorl._core. The package in python/whorl gives its names to users.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  namespace py = whorl::python;
  // A function of a script that a context or an operator holds refers to the script's names, and these to the context: such
  // a circle lives until the end of the program, where nobody has to hear of it.
  nanobind::set_leak_warnings(false);
  m.doc() = "whorl's C++ library.";
  py::Module module(m);
  py::bind_core(module);
  py::bind_trajectory(module);
  py::bind_designed(module);
  py::bind_geometry(module);
  py::bind_scan(module);
  py::bind_density(module);
  py::bind_calib(module);
  py::bind_phantom(module);
  py::bind_op(module);
  py::bind_nufft(module);
  py::bind_positions(module);
  py::bind_prox(module);
  py::bind_solver(module);
  py::bind_proximal_solvers(module);
  py::bind_estimates(module);
  py::bind_delays(module);
  py::bind_corrections(module);
  py::bind_shifts(module);
  py::bind_frames(module);
  py::bind_fit(module);
  py::bind_results(module);
  py::bind_recon(module);
  py::bind_plan(module);
  py::bind_subspace(module);
  py::bind_io(module);
  py::bind_pulseq(module);
  py::bind_measure(module);
  py::bind_plot(module);
  py::bind_filter(module);
  py::bind_pickles(module);
}
