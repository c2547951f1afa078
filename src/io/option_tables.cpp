#include "whorl/io/option_tables.hpp"

#include <optional>

#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

template <class Function>
auto words_of(const std::vector<std::string>& names, Function value_of) {
  std::vector<std::pair<std::string, decltype(value_of(names.front()))>> words;
  for (const std::string& name : names) words.emplace_back(name, value_of(name));
  return words;
}

const auto& unit_words() {
  static const auto words = words_of(trajectory_unit_names(), &trajectory_unit_from_string);
  return words;
}

const auto& columns_words() {
  static const auto words = words_of(trajectory_columns_names(), &trajectory_columns_from_string);
  return words;
}

const auto& center_words() {
  static const auto words = words_of(image_center_names(), &image_center_from_string);
  return words;
}

// A word for an order of angles, or degrees.
OptionDescriptor angle_option() {
  OptionDescriptor angle{.name = "angle",
                         .summary =
                             "Angles of the spokes that the counters tell, or from spoke to spoke; auto: as the "
                             "header says, or the data",
                         .unit = "degrees",
                         .range = OptionRange::more_than(0).up_to(360),
                         .choices = {"auto"},
                         .type = OptionType::number};
  for (const auto& [word, order] : spoke_order_words()) angle.choices.push_back(word);
  return angle;
}

OptionValue angle_of(const ScanReadOptions& options) {
  if (options.angle_degrees > 0) return options.angle_degrees;
  for (const auto& [word, order] : spoke_order_words()) {
    if (options.angle == order) return word;
  }
  return std::string("auto");
}

void set_angle(ScanReadOptions& options, const OptionValue& value) {
  const double* degrees = std::get_if<double>(&value);
  options.angle_degrees = degrees != nullptr ? *degrees : 0;
  options.angle.reset();
  for (const auto& [word, order] : spoke_order_words()) {
    if (degrees == nullptr && word == std::get<std::string>(value)) options.angle = order;
  }
}

}  // namespace

template <>
const OptionTable<ScanReadOptions>& option_table<ScanReadOptions>() {
  using Read = ScanReadOptions;
  static const OptionTable<Read> table =
      OptionTable<Read>("reading the scan")
          .group("Reading the scan")
          .choice("trajectory-unit", &Read::trajectory_unit, unit_words(), "Unit of the trajectory")
          .choice("trajectory-columns", &Read::trajectory_columns, columns_words(),
                  "What the columns of the trajectory are (w: density weight)")
          .list("fov", &Read::field_of_view_mm, 2, 3, OptionRange{1e-6, 1e9}, "mm",
                "Field of view of the image, for scans that do not say it: x y, or x y z")
          .choice("center", &Read::center, center_words(),
                  "Where coordinate 0 of the file lies: for voxel at index floor(N/2), for middle at (N-1)/2")
          .text(
              "trajectory-from", &Read::trajectory_from,
              "Scan, Pulseq sequence (.seq) or arrays with the positions of the samples, in place of those of the file")
          .reads_file()
          .text("noise-from", &Read::noise_from,
                "FILE[:GROUP] with the noise scan, in place of that of the file: a scan, or an array [coil, ...]")
          .reads_file()
          .choice("kind", &Read::kind,
                  {{"auto", CountedKind::automatic},
                   {"cartesian", CountedKind::cartesian},
                   {"radial", CountedKind::radial},
                   {"stack-of-stars", CountedKind::stack_of_stars},
                   {"kooshball", CountedKind::kooshball},
                   {"phyllotaxis", CountedKind::phyllotaxis}},
                  "The trajectory that the counters tell; auto: that of the file, or Cartesian lines")
          .custom(angle_option(), angle_of, set_angle)
          .integer("golden-index", &Read::golden_index, OptionRange::at_least(1), "",
                   "n of the tiny golden angle of the spokes; 1: the golden angle")
          .text("group", &Read::group, "HDF5 group of the scan in the file")
          .integer("encoding", &Read::encoding, OptionRange::at_least(0), "",
                   "Number of the encoding in the file's header, from 0")
          .list("keep-flags", &Read::keep_flags, 1, 0, {}, "",
                "Keep readouts with these flags, which are left out otherwise (ISMRMRD's names): navigator, "
                "calibration, ...")
          .list("drop-flags", &Read::drop_flags, 1, 0, {}, "",
                "Leave out readouts with these flags (ISMRMRD's names): reverse, user1, ...");
  return table;
}

template <>
const OptionTable<ConvertOptions>& option_table<ConvertOptions>() {
  using Convert = ConvertOptions;
  static const OptionTable<Convert> table =
      OptionTable<Convert>("conversion")
          .group("What the files do not say")
          .real("dwell", &Convert::dwell_us, OptionRange::at_least(0), "us", "Sample time; 0: not known")
          .list("echo-times", &Convert::echo_times_ms, 1, 0, OptionRange::at_least(0), "ms",
                "Echo time of each contrast, in their order")
          .choice("trajectory-unit", &Convert::trajectory_unit, unit_words(), "Unit of the trajectory")
          .choice("trajectory-columns", &Convert::trajectory_columns, columns_words(),
                  "What the columns of the trajectory are (w: density weight)")
          .integer("readout-length", &Convert::readout_length, OptionRange::at_least(0), "samples",
                   "Length of one readout (spoke, arm); 0: as the files say")
          .choice("center", &Convert::center, center_words(),
                  "Where coordinate 0 of the files lies: for voxel at index floor(N/2), for middle at (N-1)/2")
          .text("trajectory-from", &Convert::trajectory_from,
                "Scan, Pulseq sequence (.seq) or arrays with the positions of the samples, in place of those of the "
                "files")
          .reads_file()
          .text("data", &Convert::data_variable,
                "Name of the array with the data; two of real and imaginary parts: re,im; none: positions alone")
          .text("trajectory", &Convert::trajectory_variable, "Name of the trajectory, or one name per axis: kx,ky,kz")
          .text("weights", &Convert::weights_variable, "Name of the density weights, or none")
          .list("data-axes", &Convert::data_axes, 1, 0, {}, "", "Axes of the data as its program prints a size",
                {"readout", "shot", "partition", "coil", "slice", "contrast", "phase", "repetition", "set", "x", "y",
                 "z", "part"})
          .list("trajectory-axes", &Convert::trajectory_axes, 1, 0, {}, "",
                "Axes of the trajectory as its program prints a size",
                {"dim", "readout", "shot", "partition", "slice", "contrast", "phase", "repetition", "set"});
  return table;
}

template <>
const OptionTable<PulseqShot>& option_table<PulseqShot>() {
  static const OptionTable<PulseqShot> table =
      OptionTable<PulseqShot>("Pulseq sequence")
          .group("Sequence")
          .real("flip-angle", &PulseqShot::flip_angle_degrees, OptionRange::more_than(0).up_to(180), "degrees",
                "Flip angle of the block pulse before each readout")
          .real("pulse-duration", &PulseqShot::pulse_us, {1, 1e5}, "us", "Duration of the block pulse")
          .real("repetition-time", &PulseqShot::repetition_time_ms, {0, 1e7}, "ms",
                "Time from one pulse to the next; 0: the least");
  return table;
}

}  // namespace whorl
