#include "whorl/calib/option_tables.hpp"

#include <cmath>

namespace whorl {

template <>
const OptionTable<EspiritOptions>& option_table<EspiritOptions>() {
  static const OptionTable<EspiritOptions> table =
      OptionTable<EspiritOptions>("ESPIRiT")
          .group("Coils")
          .integer("kernel", &EspiritOptions::kernel, {0, 16}, "", "Extent of ESPIRiT's kernel (0: 6 in 2D, 5 in 3D)")
          .that_is("not 1", [](double kernel) { return kernel != 1; })
          .real("threshold", &EspiritOptions::singular_value_threshold, OptionRange::more_than(0).less_than(1), "",
                "ESPIRiT: singular values below this part of the largest are noise")
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

}  // namespace whorl
