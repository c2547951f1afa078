#include "io/ismrmrd/header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ismrmrd/xml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <exception>
#include <iostream>
#include <string_view>

#include "io/bytes/printable.hpp"
#include "io/ismrmrd/header_counts.hpp"
#include "io/scans/trajectory_kind.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// While it lives, output to the standard streams is dropped, because the library's parser prints.
class SilentStreams {
 public:
  SilentStreams() = default;
  ~SilentStreams() {
    std::cout.rdbuf(output_);
    std::cerr.rdbuf(errors_);
  }
  SilentStreams(const SilentStreams&) = delete;
  SilentStreams& operator=(const SilentStreams&) = delete;

 private:
  std::streambuf* output_ = std::cout.rdbuf(nullptr);
  std::streambuf* errors_ = std::cerr.rdbuf(nullptr);
};

/// Adds what the library's parser requires but some writers (MRIReco.jl) omit from an encoding: reconSpace, equal to
/// the encoded space, and empty encodingLimits. Also spells kinds of trajectory in lower case.
std::string complete_header(std::string xml, std::vector<std::string>& notes) {
  constexpr std::string_view space_start = "<encodedSpace>";
  constexpr std::string_view space_end = "</encodedSpace>";
  constexpr std::string_view kind_start = "<trajectory>";
  for (std::size_t start = xml.find("<encoding>"); start != std::string::npos;
       start = xml.find("<encoding>", start + 1)) {
    const std::size_t end = xml.find("</encoding>", start);
    const std::size_t from = xml.find(space_start, start);
    const std::size_t to = xml.find(space_end, start);
    if (end == std::string::npos || from > to || to > end) continue;
    std::string added;
    if (xml.find("<reconSpace", start) > end) {
      const std::string content = xml.substr(from + space_start.size(), to - from - space_start.size());
      added = "<reconSpace>" + content + "</reconSpace>";
      notes.emplace_back("The header has no reconstruction space: that of the encoding was taken.");
    }
    if (xml.find("<encodingLimits", start) > end) added += "<encodingLimits></encodingLimits>";
    const std::size_t kind = xml.find(kind_start, start);
    const std::size_t kind_end = xml.find("</trajectory>", start);
    if (kind < end && kind_end < end) {
      std::transform(xml.begin() + static_cast<std::ptrdiff_t>(kind + kind_start.size()),
                     xml.begin() + static_cast<std::ptrdiff_t>(kind_end),
                     xml.begin() + static_cast<std::ptrdiff_t>(kind + kind_start.size()),
                     [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    }
    xml.insert(to + space_end.size(), added);
  }
  return xml;
}

std::array<Index, 3> to_array(const ISMRMRD::MatrixSize& size) { return {size.x, size.y, size.z}; }

/// Sizes that are not positive numbers are unknown.
std::array<double, 3> to_array(const ISMRMRD::FieldOfView_mm& size) {
  std::array<double, 3> known{size.x, size.y, size.z};
  for (double& length : known) {
    if (!std::isfinite(length) || length <= 0) length = 0;
  }
  return known;
}

std::optional<Index> center(const ISMRMRD::Optional<ISMRMRD::Limit>& limit) {
  return limit ? std::optional<Index>(limit->center) : std::nullopt;
}

void set_matrix(EncodingHeader& header, std::array<Index, 3> recon, const std::string& file) {
  const std::array<Index, 3>& encoded = header.encoded.matrix;
  for (const auto& [name, matrix] : {std::pair{"encoded", encoded}, std::pair{"reconstructed", recon}}) {
    if (matrix[0] < 2 || matrix[1] < 2) {
      throw IoError(fmt::format("{}: the header's {} matrix is {}, expected at least 2 pixels along x and y", file,
                                name, fmt::join(matrix, " x ")));
    }
  }
  if (encoded[2] > 1 && recon[2] <= 1) {
    recon[2] = encoded[2];
    header.notes.push_back(fmt::format(
        "The encoding is 3D but the header's image matrix has one slice: all {} slices are made.", encoded[2]));
  } else if (encoded[2] <= 1 && recon[2] > 1) {
    header.notes.push_back(fmt::format(
        "The header's image matrix has {} slices but the encoding is 2D: each slice is its own image.", recon[2]));
    recon[2] = 1;
  }
  if (recon[2] == 0) recon[2] = 1;
  header.matrix = recon;
}

/// Pixel sizes of both spaces. If one field of view is missing, its pixels are assumed equal to the other's.
void set_pixel_sizes(EncodingHeader& header, const std::array<double, 3>& recon) {
  bool assumed = false;
  header.field_of_view_mm = recon;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 2 && header.dim() == 2) break;
    double& encoded = header.encoded.field_of_view_mm[axis];
    double& image = header.field_of_view_mm[axis];
    const auto encoded_pixels = static_cast<double>(header.encoded.matrix[axis]);
    const auto image_pixels = static_cast<double>(header.matrix[axis]);
    if (encoded > 0 && image > 0) {
      const double ratio = (image / image_pixels) / (encoded / encoded_pixels);
      // The header's numbers are float: a ratio this near to 1 is 1.
      constexpr double float_rounding = 1e-6;
      header.pixel_ratio[axis] = std::abs(ratio - 1) < float_rounding ? 1 : ratio;
      continue;
    }
    assumed = true;
    if (image > 0) encoded = image / image_pixels * encoded_pixels;
    if (encoded > 0) image = encoded / encoded_pixels * image_pixels;
  }
  if (assumed) {
    header.notes.emplace_back(
        "The header gives no field of view for both the encoding and the image: their pixels were taken to be of equal "
        "size.");
  }
}

// The values of the user parameters. Unknown texts of other writers are ignored, with a note.
void read_parameters(EncodingHeader& header, const ISMRMRD::IsmrmrdHeader& parsed) {
  if (!parsed.userParameters) return;
  for (const ISMRMRD::UserParameterString& parameter : parsed.userParameters->userParameterString) {
    try {
      if (parameter.name == unit_parameter) header.unit = trajectory_unit_from_string(parameter.value);
      if (parameter.name == kind_parameter) header.trajectory_kind = parameter.value;
      if (parameter.name == columns_parameter) header.columns = trajectory_columns_from_string(parameter.value);
    } catch (const ValueError& error) {
      header.notes.push_back(fmt::format("The header's {} was left aside: {}.", parameter.name, error.what()));
    }
  }
}

std::string system_name(const ISMRMRD::IsmrmrdHeader& parsed) {
  if (!parsed.acquisitionSystemInformation) return {};
  const auto& system = *parsed.acquisitionSystemInformation;
  std::string name = system.systemVendor ? *system.systemVendor : "";
  if (system.systemModel) name += (name.empty() ? "" : " ") + *system.systemModel;
  return name;
}

// Numbers that are no time are left aside, as a field of view is.
double repetition_time(const ISMRMRD::IsmrmrdHeader& parsed) {
  if (!parsed.sequenceParameters || !parsed.sequenceParameters->TR || parsed.sequenceParameters->TR->empty()) return 0;
  const double time = parsed.sequenceParameters->TR->front();
  return std::isfinite(time) && time > 0 ? time : 0;
}

ISMRMRD::IsmrmrdHeader parse(const std::string& xml, std::vector<std::string>& notes, const std::string& file) {
  check_header_counts(xml, file);
  ISMRMRD::IsmrmrdHeader parsed;
  try {
    const SilentStreams silence;
    ISMRMRD::deserialize(complete_header(xml, notes).c_str(), parsed);
  } catch (const std::exception& error) {
    throw IoError(fmt::format("{}: its xml is not an ISMRMRD header: {}", file, printable(error.what(), 200)));
  }
  return parsed;
}

// Texts for other files: without control characters.
std::string text_of(const ISMRMRD::Optional<std::string>& text) {
  std::string found = text ? *text : "";
  std::erase_if(found, [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; });
  return found;
}

double known(double number) { return std::isfinite(number) && number > 0 ? number : 0; }

// A list with a number that is none is left out, since its places are those of contrasts.
std::vector<double> known(const ISMRMRD::Optional<std::vector<float>>& numbers) {
  if (!numbers) return {};
  std::vector<double> found;
  for (const float number : *numbers) {
    // The file's text in float: 3.2 and not 3.2000000477.
    found.push_back(known(std::stod(fmt::format("{}", number))));
    if (found.back() == 0) return {};
  }
  return found;
}

}  // namespace

MeasurementFacts parse_facts(const std::string& xml, const std::string& file) {
  std::vector<std::string> notes;
  const ISMRMRD::IsmrmrdHeader parsed = parse(xml, notes, file);
  MeasurementFacts facts;
  facts.resonance_hz = known(static_cast<double>(parsed.experimentalConditions.H1resonanceFrequency_Hz));
  if (parsed.acquisitionSystemInformation) {
    const auto& system = *parsed.acquisitionSystemInformation;
    facts.manufacturer = text_of(system.systemVendor);
    facts.model = text_of(system.systemModel);
    facts.institution = text_of(system.institutionName);
    if (system.systemFieldStrength_T) {
      facts.field_strength_t = known(std::stod(fmt::format("{}", *system.systemFieldStrength_T)));
    }
  }
  if (parsed.measurementInformation) {
    facts.protocol = text_of(parsed.measurementInformation->protocolName);
    facts.patient_position = text_of(parsed.measurementInformation->patientPosition);
  }
  if (parsed.sequenceParameters) {
    facts.repetition_times_ms = known(parsed.sequenceParameters->TR);
    facts.echo_times_ms = known(parsed.sequenceParameters->TE);
    facts.inversion_times_ms = known(parsed.sequenceParameters->TI);
    facts.flip_angles_degrees = known(parsed.sequenceParameters->flipAngle_deg);
    facts.sequence = text_of(parsed.sequenceParameters->sequence_type);
  }
  return facts;
}

EncodingHeader parse_header(const std::string& xml, int encoding, const std::string& file) {
  EncodingHeader header;
  const ISMRMRD::IsmrmrdHeader parsed = parse(xml, header.notes, file);
  const auto encodings = static_cast<int>(parsed.encoding.size());
  if (encodings == 0) throw IoError(fmt::format("{}: its header has no encoding", file));
  if (encoding < 0 || encoding >= encodings) {
    throw ValueError(fmt::format("{}: encoding {} was asked for, the header has {} (0 to {})", file, encoding,
                                 encodings, encodings - 1));
  }
  const ISMRMRD::Encoding& chosen = parsed.encoding[static_cast<std::size_t>(encoding)];
  if (encodings > 1) {
    header.notes.push_back(fmt::format("Encoding {} of the header's {} was taken.", encoding, encodings));
  }
  header.trajectory_kind = kind_name(chosen.trajectory);
  header.system = system_name(parsed);
  header.repetition_time_ms = repetition_time(parsed);
  header.encoded.matrix = to_array(chosen.encodedSpace.matrixSize);
  header.encoded.field_of_view_mm = to_array(chosen.encodedSpace.fieldOfView_mm);
  if (header.encoded.matrix[2] == 0) header.encoded.matrix[2] = 1;
  set_matrix(header, to_array(chosen.reconSpace.matrixSize), file);
  set_pixel_sizes(header, to_array(chosen.reconSpace.fieldOfView_mm));
  read_parameters(header, parsed);
  header.center_1 = center(chosen.encodingLimits.kspace_encoding_step_1);
  header.center_2 = center(chosen.encodingLimits.kspace_encoding_step_2);
  return header;
}

}  // namespace whorl::io
