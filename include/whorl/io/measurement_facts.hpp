// MeasurementFacts: what a file of a measurement says of the scanner and the sequence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whorl/io/ismrmrd.hpp"

namespace WHORL_PUBLIC whorl {

/// For files of images, which hold such facts for their readers. Empty texts, 0 and empty lists: not known. Nothing of
/// the patient but the position on the table.
struct MeasurementFacts {
  std::string manufacturer;
  std::string model;
  std::string institution;
  std::string protocol;
  std::string sequence;          ///< its type, in the words of the file
  std::string patient_position;  ///< HFS, HFP, ...
  double field_strength_t = 0;
  double resonance_hz = 0;  ///< of 1H
  std::vector<double> repetition_times_ms;
  std::vector<double> echo_times_ms;  ///< by contrast where there are as many
  std::vector<double> inversion_times_ms;
  std::vector<double> flip_angles_degrees;
};

/// Reads the header of an ISMRMRD file; other files hold no such facts. Numbers that are not finite and above 0 are
/// left out. Throws IoError (a file that cannot be read, or a damaged header).
MeasurementFacts read_measurement_facts(const std::filesystem::path& path, const ScanReadOptions& options = {});

}  // namespace whorl
