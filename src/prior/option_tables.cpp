#include "whorl/prior/option_tables.hpp"

namespace whorl {

template <>
const OptionTable<EdgeOptions>& option_table<EdgeOptions>() {
  static const OptionTable<EdgeOptions> table =
      OptionTable<EdgeOptions>("anatomical prior")
          .real("noise", &EdgeOptions::noise_factor, OptionRange::more_than(0), "standard deviations",
                "An edge of a reference is a difference above this multiple of the noise")
          .real("contrast", &EdgeOptions::contrast, OptionRange::more_than(0).up_to(1), "",
                "An edge must also be above this part of the reference's median value");
  return table;
}

}  // namespace whorl
