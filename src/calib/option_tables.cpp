#include "whorl/calib/option_tables.hpp"

#include <cmath>

namespace whorl {

template <>
const OptionTable<EspiritOptions>& option_table<EspiritOptions>() {
  static const OptionTable<EspiritOptions> table =
      OptionTable<EspiritOptions>("ESPIRiT")
          .group("Coils")
          .integer("kernel", &EspiritOptions::kernel, {0, 16}, "",
                   "Extent of ESPIRiT's kernel (0: 6 in 2D, 5 in 3D, less in a small region)")
          .that_is("not 1", [](double kernel) { return kernel != 1; })
          .real("threshold", &EspiritOptions::singular_value_threshold, OptionRange::more_than(0).less_than(1), "",
                "ESPIRiT: singular values below this part of the largest are noise; below less, down to a tenth, where "
                "the "
                "edge of the calibration region has little noise and detail")
          .real("crop", &EspiritOptions::eigenvalue_threshold, {0, 1}, "",
                "ESPIRiT: maps are 0 where the eigenvalue is less");
  return table;
}

template <>
const OptionTable<WalshOptions>& option_table<WalshOptions>() {
  static const OptionTable<WalshOptions> table =
      OptionTable<WalshOptions>("Walsh's method")
          .group("Coils")
          .integer("block", &WalshOptions::block, {1, 63}, "pixels", "Walsh: extent of the neighborhood")
          .that_is("odd", [](double block) { return std::fmod(block, 2) != 0; });
  return table;
}

template <>
const OptionTable<CoilCompressionOptions>& option_table<CoilCompressionOptions>() {
  static const OptionTable<CoilCompressionOptions> table =
      OptionTable<CoilCompressionOptions>("coil compression")
          .integer("coils", &CoilCompressionOptions::virtual_coils, OptionRange::at_least(0), "",
                   "Number of virtual coils (0: as few as keep the energy)")
          .recorded_as("virtual_coils")
          .real("energy", &CoilCompressionOptions::energy, OptionRange::more_than(0).up_to(1), "",
                "Part of the energy to keep, where their number is not given");
  return table;
}

template <>
const OptionTable<NlinvOptions>& option_table<NlinvOptions>() {
  using Options = NlinvOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("nlinv")
          .group("NLINV")
          .integer("sets", &Options::sets, {1, 8}, "", "NLINV: sets of an image and coil maps; above 1: ENLIVE")
          .integer("steps", &Options::steps, {1, 100}, "", "NLINV: steps of the Gauss-Newton method, at most")
          .real("alpha", &Options::alpha, OptionRange::more_than(0), "",
                "NLINV: weight of the penalty in the first step")
          .real("reduction", &Options::reduction, OptionRange::at_least(1), "",
                "NLINV: what the weight is divided by from step to step, until it is that of the noise")
          .real("smoothness", &Options::smoothness, OptionRange::more_than(0), "",
                "NLINV: s of the maps' weight (1 + s |k|^2)^(-order/2), k in cycles per pixel")
          .real("order", &Options::order, OptionRange::more_than(0), "", "NLINV: order of the maps' weight")
          .real("period", &Options::period, {1, 2}, "", "NLINV: period of the maps, in extents of the image")
          .for_programs()
          .integer("iterations", &Options::iterations, OptionRange::at_least(1), "",
                   "NLINV: iterations of conjugate gradient in a step, at most")
          .real("tolerance", &Options::tolerance, OptionRange::more_than(0).less_than(1), "",
                "NLINV: the iterations of a step stop at this relative residual")
          .real("damping", &Options::damping, {0, 1}, "",
                "NLINV: a frame is pulled towards the frame before, times this (0: frames are independent)");
  return table;
}

}  // namespace whorl
