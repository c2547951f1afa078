#include "io/nifti/bids_sidecar.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace whorl::io {

namespace {

// In place of "0.0010000000000000002", which is a product of rounded numbers.
double in_seconds(double milliseconds) { return milliseconds / 1000; }

/// Echo time of each volume, where their contrasts are those of the list; a number where all are alike.
nlohmann::ordered_json echo_time(const MeasurementFacts& facts, std::span<const ImageFrame> frames) {
  std::vector<double> seconds;
  bool alike = true;
  for (const ImageFrame& frame : frames) {
    const auto contrast = static_cast<std::size_t>(frame.index.contrast);
    if (contrast >= facts.echo_times_ms.size()) return nullptr;
    seconds.push_back(in_seconds(facts.echo_times_ms[contrast]));
    alike = alike && seconds.back() == seconds.front();
  }
  if (seconds.empty()) return nullptr;
  if (alike) return seconds.front();
  return seconds;
}

}  // namespace

std::string bids_sidecar(const MeasurementFacts& facts, std::span<const ImageFrame> frames, double interval_ms,
                         bool is_volume) {
  nlohmann::ordered_json json;
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  text("Manufacturer", facts.manufacturer);
  text("ManufacturersModelName", facts.model);
  text("InstitutionName", facts.institution);
  if (facts.field_strength_t > 0) json["MagneticFieldStrength"] = facts.field_strength_t;
  text("PulseSequenceType", facts.sequence);
  if (const auto time = echo_time(facts, frames); !time.is_null()) json["EchoTime"] = time;
  if (!facts.repetition_times_ms.empty()) {
    json["RepetitionTimeExcitation"] = in_seconds(facts.repetition_times_ms.front());
  }
  // In BIDS the time from one volume of a series to the next, as in the NIfTI header.
  if (interval_ms > 0) json["RepetitionTime"] = in_seconds(interval_ms);
  if (facts.inversion_times_ms.size() == 1) json["InversionTime"] = in_seconds(facts.inversion_times_ms.front());
  if (facts.flip_angles_degrees.size() == 1) json["FlipAngle"] = facts.flip_angles_degrees.front();
  json["MRAcquisitionType"] = is_volume ? "3D" : "2D";
  constexpr int indent = 2;
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace whorl::io
