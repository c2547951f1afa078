#include "io/ismrmrd/header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "io/bytes/printable.hpp"
#include "io/ismrmrd/xml.hpp"
#include "io/scans/trajectory_kind.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

/// Lengths that are not positive numbers are unknown. They are float, as in ISMRMRD's own header.
std::array<double, 3> field_of_view_in(pugi::xml_node space) {
  std::array<double, 3> known{};
  const pugi::xml_node size = element(space, "fieldOfView_mm");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = static_cast<float>(number_in(element(size, axis_names[axis])).value_or(0));
    if (std::isfinite(length) && length > 0) known[axis] = length;
  }
  return known;
}

std::array<Index, 3> matrix_in(pugi::xml_node space, std::string_view name, const std::string& file) {
  std::array<Index, 3> matrix{1, 1, 1};
  const pugi::xml_node size = element(space, "matrixSize");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::optional<int> count = count_in(size, axis_names[axis], fmt::format("{}.matrixSize", name), file);
    if (!count && axis < 2) {
      throw IoError(fmt::format("{}: the header has no {}.matrixSize.{}, expected the number of pixels", file, name,
                                axis_names[axis]));
    }
    matrix[axis] = axis < 2 ? count.value_or(1) : std::max(count.value_or(1), 1);
  }
  return matrix;
}

/// Whether a space says its pixels along x and y, rightly or not.
bool has_matrix(pugi::xml_node space) {
  const pugi::xml_node size = element(space, "matrixSize");
  return !text_in(element(size, "x")).empty() && !text_in(element(size, "y")).empty();
}

/// The spaces as the header has them. Some writers (MRIReco.jl) give one alone: it is taken for both.
void read_spaces(pugi::xml_node encoding, EncodingHeader& header, const std::string& file) {
  pugi::xml_node encoded = element(encoding, "encodedSpace");
  pugi::xml_node recon = element(encoding, "reconSpace");
  if (!has_matrix(recon) && has_matrix(encoded)) {
    header.notes.emplace_back("The header has no reconstruction space with a matrix: that of the encoding was taken.");
    recon = encoded;
  } else if (!has_matrix(encoded) && has_matrix(recon)) {
    header.notes.emplace_back("The header has no encoded space with a matrix: that of the reconstruction was taken.");
    encoded = recon;
  }
  header.encoded.matrix = matrix_in(encoded, "encodedSpace", file);
  header.encoded.field_of_view_mm = field_of_view_in(encoded);
  header.matrix = matrix_in(recon, "reconSpace", file);
  header.field_of_view_mm = field_of_view_in(recon);
}

/// A limit that is no count is unknown, as one that is missing.
std::optional<Index> limit_in(pugi::xml_node encoding, const std::string& counter, const char* limit, Notes& notes) {
  try {
    return count_in(element(element(encoding, "encodingLimits"), counter), limit, counter, {});
  } catch (const IoError&) {
    notes.emplace_back(
        fmt::format("The header's {}.{} is {}, no whole number from 0 to 65535: it was left aside.", counter, limit,
                    printable(text_in(element(element(element(encoding, "encodingLimits"), counter), limit)), 40)),
        NoteKind::doubt);
    return std::nullopt;
  }
}

/// By ISMRMRD's names in lower case; what is none of these is "other".
std::string kind_in(pugi::xml_node encoding, Notes& notes) {
  const std::string text = text_in(element(encoding, "trajectory"));
  std::string kind = text;
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (kind_name(kind_type(kind)) == kind) return kind;
  if (!text.empty()) {
    notes.emplace_back(
        fmt::format("The header's trajectory is {}, no kind of ISMRMRD's: it counts as other.", printable(text, 40)));
  }
  return "other";
}

// The values of the user parameters. Unknown texts of other writers are ignored, with a note.
void read_parameters(EncodingHeader& header, pugi::xml_node root) {
  for (const pugi::xml_node parameter : elements(element(root, "userParameters"), "userParameterString")) {
    const std::string name = text_in(element(parameter, "name"));
    const std::string value = text_in(element(parameter, "value"));
    try {
      if (name == unit_parameter) header.unit = trajectory_unit_from_string(value);
      if (name == kind_parameter) header.trajectory_kind = value;
      if (name == columns_parameter) header.columns = trajectory_columns_from_string(value);
    } catch (const ValueError& error) {
      header.notes.emplace_back(fmt::format("The header's {} was left aside: {}.", name, error.what()),
                                NoteKind::doubt);
    }
  }
}

std::string system_name(pugi::xml_node root) {
  const pugi::xml_node system = element(root, "acquisitionSystemInformation");
  const std::string vendor = text_in(element(system, "systemVendor"));
  const std::string model = text_in(element(system, "systemModel"));
  return vendor + (vendor.empty() || model.empty() ? "" : " ") + model;
}

double positive(std::optional<double> number) { return number && *number > 0 ? *number : 0; }

// A list with a number that is none is left out, since its places are those of contrasts.
std::vector<double> positive(const std::vector<pugi::xml_node>& numbers) {
  std::vector<double> found;
  for (const pugi::xml_node number : numbers) {
    found.push_back(positive(number_in(number)));
    if (found.back() == 0) return {};
  }
  return found;
}

/// Milliseconds; numbers that no sequence has in them are seconds or microseconds.
std::vector<double> echo_times_of(const pugi::xml_node& sequence) {
  std::vector<double> times = positive(elements(sequence, "TE"));
  if (times.empty()) return times;
  constexpr double least_ms = 0.02;
  constexpr double most_ms = 1000;
  const double longest = *std::max_element(times.begin(), times.end());
  for (double& time : times) time *= longest < least_ms ? 1e3 : longest >= most_ms ? 1e-3 : 1;
  return times;
}

}  // namespace

MeasurementFacts parse_facts(const std::string& header_text, const std::string& file) {
  const HeaderXml xml(header_text, file);
  MeasurementFacts facts;
  facts.resonance_hz =
      positive(number_in(element(element(xml.root(), "experimentalConditions"), "H1resonanceFrequency_Hz")));
  const pugi::xml_node system = element(xml.root(), "acquisitionSystemInformation");
  facts.manufacturer = text_in(element(system, "systemVendor"));
  facts.model = text_in(element(system, "systemModel"));
  facts.institution = text_in(element(system, "institutionName"));
  facts.field_strength_t = positive(number_in(element(system, "systemFieldStrength_T")));
  const pugi::xml_node measurement = element(xml.root(), "measurementInformation");
  facts.protocol = text_in(element(measurement, "protocolName"));
  facts.patient_position = text_in(element(measurement, "patientPosition"));
  const pugi::xml_node sequence = element(xml.root(), "sequenceParameters");
  facts.repetition_times_ms = positive(elements(sequence, "TR"));
  facts.echo_times_ms = echo_times_of(sequence);
  facts.inversion_times_ms = positive(elements(sequence, "TI"));
  facts.flip_angles_degrees = positive(elements(sequence, "flipAngle_deg"));
  facts.sequence = text_in(element(sequence, "sequence_type"));
  return facts;
}

EncodingHeader parse_header(const std::string& header_text, int encoding, const std::string& file) {
  EncodingHeader header;
  const HeaderXml xml(header_text, file);
  const std::vector<pugi::xml_node> all = elements(xml.root(), "encoding");
  const auto encodings = static_cast<int>(all.size());
  if (encodings == 0) throw IoError(fmt::format("{}: its header has no encoding", file));
  if (encoding < 0 || encoding >= encodings) {
    throw ValueError(fmt::format("{}: encoding {} was asked for, the header has {} (0 to {})", file, encoding,
                                 encodings, encodings - 1));
  }
  const pugi::xml_node chosen = all[static_cast<std::size_t>(encoding)];
  if (encodings > 1) {
    header.notes.emplace_back(fmt::format("Encoding {} of the header's {} was taken.", encoding, encodings));
  }
  header.trajectory_kind = kind_in(chosen, header.notes);
  header.system = system_name(xml.root());
  const pugi::xml_node sequence = element(xml.root(), "sequenceParameters");
  header.echo_times_ms = echo_times_of(sequence);
  if (header.echo_times_ms != positive(elements(sequence, "TE"))) {
    header.notes.emplace_back(disagreement(
        fmt::format("its echo times are no milliseconds; {:g} ms were taken.", fmt::join(header.echo_times_ms, ", "))));
  }
  header.repetition_time_ms = static_cast<float>(positive(number_in(element(sequence, "TR"))));
  read_spaces(chosen, header, file);
  read_parameters(header, xml.root());
  const std::string step = "kspace_encoding_step_";
  header.center_1 = limit_in(chosen, step + "1", "center", header.notes);
  header.center_2 = limit_in(chosen, step + "2", "center", header.notes);
  const std::optional<Index> last = limit_in(chosen, step + "1", "maximum", header.notes);
  if (last) header.steps_1 = *last + 1;
  return header;
}

}  // namespace whorl::io
