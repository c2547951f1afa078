#include "io/scans/scan_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/bytes/parse_json.hpp"
#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr Index most_pixels = Index{1} << 20U;  // along an axis: beyond any image, and no product of three overflows

Json to_json(const FrameParts& frame) {
  const FrameIndex& index = frame.index;
  const Geometry& geometry = frame.geometry;
  return {{"trajectory", frame.trajectory},
          {"weights", frame.weights},
          {"slice", index.slice},
          {"contrast", index.contrast},
          {"phase", index.phase},
          {"repetition", index.repetition},
          {"set", index.set},
          {"field_of_view_mm", geometry.field_of_view_mm},
          {"position_mm", geometry.position_mm},
          {"read_direction", geometry.read_direction},
          {"phase_direction", geometry.phase_direction},
          {"slice_direction", geometry.slice_direction}};
}

// JSON's own conversion takes any number: 2^32 + 1 for 1, and 3.7 for 3.
template <class T>
void get_whole(const Json& json, T& to) {
  using Limits = std::numeric_limits<T>;
  const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                              : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
  if (!fits) {
    throw ValueError(
        fmt::format("{} is no whole number from {} to {}", printable(json.dump(), 40), Limits::min(), Limits::max()));
  }
  to = json.get<T>();
}

FrameParts frame_from(const Json& json) {
  FrameParts frame;
  get_whole(json.at("trajectory"), frame.trajectory);
  get_whole(json.at("weights"), frame.weights);
  get_whole(json.at("slice"), frame.index.slice);
  get_whole(json.at("contrast"), frame.index.contrast);
  get_whole(json.at("phase"), frame.index.phase);
  get_whole(json.at("repetition"), frame.index.repetition);
  get_whole(json.at("set"), frame.index.set);
  json.at("field_of_view_mm").get_to(frame.geometry.field_of_view_mm);
  json.at("position_mm").get_to(frame.geometry.position_mm);
  json.at("read_direction").get_to(frame.geometry.read_direction);
  json.at("phase_direction").get_to(frame.geometry.phase_direction);
  json.at("slice_direction").get_to(frame.geometry.slice_direction);
  return frame;
}

ScanHeader header_from(const Json& json) {
  ScanHeader header;
  for (std::size_t axis = 0; axis < 3; ++axis) get_whole(json.at("matrix").at(axis), header.matrix[axis]);
  get_whole(json.at("coils"), header.coils);
  json.at("system").get_to(header.system);
  json.at("trajectory_kind").get_to(header.trajectory_kind);
  json.at("dwell_us").get_to(header.dwell_us);
  json.at("noise_dwell_us").get_to(header.noise_dwell_us);
  // Files of earlier versions have none.
  if (json.contains("readout_interval_ms")) json.at("readout_interval_ms").get_to(header.readout_interval_ms);
  // Older files have none. JSON has no NaN: it is null.
  if (const auto start = json.find("readout_start_us"); start != json.end()) {
    header.readout_start_us = start->is_null() ? std::numeric_limits<double>::quiet_NaN() : start->get<double>();
  }
  if (json.contains("echo_times_ms")) json.at("echo_times_ms").get_to(header.echo_times_ms);
  json.at("noise").get_to(header.has_noise);
  json.at("coil_maps").get_to(header.has_coil_maps);
  for (const Json& length : json.at("readout_lengths")) get_whole(length, header.readout_lengths.emplace_back());
  for (const Json& frame : json.at("frames")) header.frames.push_back(frame_from(frame));
  return header;
}

bool is_consistent(const ScanHeader& header) {
  const auto trajectories = static_cast<Index>(header.readout_lengths.size());
  const auto frames = static_cast<Index>(header.frames.size());
  const bool counts = frames > 0 && trajectories > 0 && trajectories <= frames && header.coils >= 0;
  const bool pixels = std::all_of(header.matrix.begin(), header.matrix.end(),
                                  [](Index extent) { return extent >= 1 && extent <= most_pixels; });
  const bool times = std::isfinite(header.dwell_us) && header.dwell_us >= 0 && std::isfinite(header.noise_dwell_us) &&
                     header.noise_dwell_us >= 0 && std::isfinite(header.readout_interval_ms) &&
                     header.readout_interval_ms >= 0 && !std::isinf(header.readout_start_us) &&
                     std::all_of(header.echo_times_ms.begin(), header.echo_times_ms.end(),
                                 [](double time) { return std::isfinite(time) && time >= 0; });
  const bool lengths = std::all_of(header.readout_lengths.begin(), header.readout_lengths.end(),
                                   [](Index length) { return length >= 0; });
  const bool parts = std::all_of(header.frames.begin(), header.frames.end(), [&](const FrameParts& frame) {
    const FrameIndex& index = frame.index;
    return frame.trajectory >= 0 && frame.trajectory < trajectories && frame.weights >= -1 && frame.weights < frames &&
           std::min({index.slice, index.contrast, index.phase, index.repetition, index.set}) >= 0;
  });
  return counts && pixels && times && lengths && parts;
}

}  // namespace

std::string format_scan_header(const ScanHeader& header) {
  Json json{{"whorl_scan", version},
            {"matrix", header.matrix},
            {"coils", header.coils},
            {"system", header.system},
            {"trajectory_kind", header.trajectory_kind},
            {"trajectory_unit", "cycles/pixel"},
            {"dwell_us", header.dwell_us},
            {"noise_dwell_us", header.noise_dwell_us},
            {"readout_interval_ms", header.readout_interval_ms},
            {"readout_start_us", header.readout_start_us},
            {"noise", header.has_noise},
            {"coil_maps", header.has_coil_maps},
            {"readout_lengths", header.readout_lengths},
            {"frames", Json::array()}};
  if (!header.echo_times_ms.empty()) json["echo_times_ms"] = header.echo_times_ms;
  for (const FrameParts& frame : header.frames) json["frames"].push_back(to_json(frame));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ScanHeader parse_scan_header(const std::string& text, const std::string& source) {
  try {
    const Json json = parse_json<Json>(text, source);
    if (json.at("whorl_scan") != version) {
      throw IoError(fmt::format("'{}': a scan header of version {}, expected {}; it is of a newer whorl", source,
                                printable(json.at("whorl_scan").dump()), version));
    }
    ScanHeader header = header_from(json);
    if (!is_consistent(header)) {
      throw IoError(fmt::format("'{}': the numbers of its scan header contradict each other: it is damaged", source));
    }
    return header;
  } catch (const ValueError& error) {
    throw IoError(fmt::format("'{}': its scan header can not be read: {}", source, error.what()));
  } catch (const Json::exception& error) {
    throw IoError(fmt::format("'{}': its scan header can not be read: {}", source, printable(error.what(), 200)));
  }
}

}  // namespace whorl::io
