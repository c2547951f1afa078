#include "whorl/recon/signal_options.hpp"

namespace whorl {

template <>
const OptionTable<SignalOptions>& option_table<SignalOptions>() {
  using Signal = SignalOptions;
  static const OptionTable<Signal> table =
      OptionTable<Signal>("signal")
          .group("Signal during the readout")
          .real("dwell", &Signal::dwell_us, OptionRange::more_than(0), "us",
                "Time between samples, in place of the scan's")
          .recorded_as("dwell_us")
          .real(
              "readout-start", &Signal::readout_start_us, OptionRange{-1e9, 1e9}, "us",
              "Time of the first sample of each readout, in place of the scan's. The image shows the object at time 0, "
              "for scans that of the center sample")
          .recorded_as("readout_start_us")
          .real("larmor-mhz", &Signal::larmor_mhz, OptionRange::more_than(0), "MHz",
                "Larmor frequency at which the concomitant field of the gradients is corrected")
          .for_programs()
          .real("signal-tolerance", &Signal::tolerance, OptionRange{1e-6, 0.5}, "",
                "Relative error of the sum of products that stands for off-resonance and decay");
  return table;
}

}  // namespace whorl
