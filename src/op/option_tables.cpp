#include "whorl/op/option_tables.hpp"

#include <utility>

namespace whorl {

namespace {

// All but the tolerance, in the group that was begun.
OptionTable<NufftOptions> with_other_options(OptionTable<NufftOptions> table) {
  return std::move(table)
      .recorded_as("nufft_tolerance")
      .choice("accuracy", &NufftOptions::accuracy,
              {{"typical", NufftAccuracy::typical}, {"guaranteed", NufftAccuracy::guaranteed}},
              "Which error the tolerance bounds: the root mean square error of images whose energy is spread over "
              "the field of view (typical), or the error of any image (guaranteed)")
      .recorded_as("nufft_accuracy")
      .real_or("oversampling", &NufftOptions::oversampling, {1.25, 2}, "",
               "Oversampling of the grid; automatic: the one that is predicted to be fastest", "automatic", 0)
      .choice("window", &NufftOptions::window,
              {{"kaiser-bessel", WindowKind::kaiser_bessel}, {"gaussian", WindowKind::gaussian}},
              "Window of the gridding")
      .choice(
          "normal", &NufftOptions::normal,
          {{"pair", NormalMethod::pair}, {"toeplitz", NormalMethod::toeplitz}, {"automatic", NormalMethod::automatic}},
          "How the normal operator is applied")
      .for_programs();
}

const OptionRange tolerances = OptionRange::more_than(0).less_than(1);

}  // namespace

template <>
const OptionTable<NufftOptions>& option_table<NufftOptions>() {
  static const OptionTable<NufftOptions> table = with_other_options(
      OptionTable<NufftOptions>("nufft")
          .group("Transform")
          .real("tolerance", &NufftOptions::tolerance, tolerances, "", "Relative error of the NUFFT"));
  return table;
}

template <>
const OptionTable<DftOptions>& option_table<DftOptions>() {
  static const OptionTable<DftOptions> table =
      OptionTable<DftOptions>("dft")
          .group("Transform")
          .real("tolerance", &DftOptions::tolerance, OptionRange::at_least(0).less_than(1), "",
                "Relative error that is allowed, in single precision: from 1e-5 on a CPU sums to images are in single "
                "precision, "
                "from 1e-3 on a GPU's products are in half precision; below they are exact")
          .recorded_as("dft_tolerance");
  return table;
}

const OptionTable<NufftOptions>& options_with_automatic_tolerance() {
  static const OptionTable<NufftOptions> table = with_other_options(
      OptionTable<NufftOptions>("nufft")
          .group("Transform")
          .real_or("tolerance", &NufftOptions::tolerance, tolerances, "",
                   "Relative error of the NUFFT; auto: small enough for lambda (docs/explain/tolerance.md)", "auto",
                   0));
  return table;
}

}  // namespace whorl
