// Scans that are made of arrays of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "whorl/recon/options.hpp"
#include "whorl/scan/affine.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::python {

namespace nb = nanobind;

/// The arguments of whorl.Scan.
Scan scan_from(nb::handle trajectory, nb::handle image_shape, nb::handle data, nb::handle weights, nb::handle noise,
               nb::handle coil_maps, Index readout_length, const Geometry* geometry, double dwell_us,
               double noise_dwell_us, const std::string& trajectory_kind);

/// Parts of a scan that are new; None: they stay.
struct Replacements {
  nb::handle trajectory;
  nb::handle data;
  nb::handle weights;
  nb::handle noise;
  nb::handle coil_maps;
  nb::handle sample_weights;
  nb::handle geometry;
  nb::handle readout_length;
};

Scan replaced(const Scan& scan, const Replacements& by);

/// The scan as a reconstruction takes it, whose options get its sample weights. Throws as weigh_samples.
Scan weighed(const Context& ctx, Scan scan, ReconOptions& options);

/// From numbers [3, 4] or [4, 4]. Throws ShapeError, TypeError.
Affine affine_from(nb::handle object);

/// None takes them away. Throw ShapeError, ValueError.
void set_maps(Scan& scan, nb::handle object);
void set_sample_weights(Scan& scan, nb::handle object);

}  // namespace whorl::python
