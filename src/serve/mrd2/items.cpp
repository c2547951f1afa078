#include "serve/mrd2/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "whorl/core/error.hpp"

namespace whorl::serve::mrd2 {

namespace {

constexpr std::uint64_t ns_per_ms = 1000000;

struct Extents {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

Extents extents_of(const Json& array, const char* what) {
  const Json& shape = array.at("shape");
  if (shape.size() != 2) throw IoError(fmt::format("acquisition: its {} have {} axes, expected 2", what, shape.size()));
  return {shape[0].get<std::uint64_t>(), shape[1].get<std::uint64_t>()};
}

template <class T>
std::vector<T> values_of(const Json& array, const Extents& extents, const char* what) {
  const auto& bytes = array.at("data").get_binary();
  std::vector<T> values(extents.rows * extents.columns);
  if (bytes.size() != values.size() * sizeof(T)) {
    throw IoError(fmt::format("acquisition: its {} are of another type than those of MRD", what));
  }
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// ISMRMRD's counters have 16 bits.
std::uint16_t count_of(const Json& object, const char* name, std::uint64_t otherwise = 0) {
  const auto found = object.find(name);
  const auto count = found == object.end() || found->is_null() ? otherwise : found->get<std::uint64_t>();
  if (count > std::numeric_limits<std::uint16_t>::max()) {
    throw IoError(fmt::format("acquisition: {} is {}, at most 65535 is possible", name, count));
  }
  return static_cast<std::uint16_t>(count);
}

void copy_vector(const Json& object, const char* name, float (&to)[3]) {
  const Json& from = object.at(name);
  for (std::size_t i = 0; i < 3; ++i) to[i] = from.at(i).get<float>();
}

Json vector_of(const float (&from)[3]) { return Json::array({from[0], from[1], from[2]}); }

std::uint64_t number_of(const Json& value) { return value.is_null() ? 0 : value.get<std::uint64_t>(); }

bool has(const Json& object, const char* name) { return object.contains(name) && !object[name].is_null(); }

void copy_times(const Json& head, Acquisition& made) {
  const bool is_ns = head.contains("acquisitionTimeStampNs");
  const std::uint64_t unit = is_ns ? 1 : ns_per_ms;
  made.time_ns = unit * number_of(head.at(is_ns ? "acquisitionTimeStampNs" : "acquisitionTimeStamp"));
  for (const Json& one : head.at(is_ns ? "physiologyTimeStampNs" : "physiologyTimeStamp")) {
    made.physiology_ns.push_back(unit * number_of(one));
  }
  if (has(head, "sampleTimeUs")) made.head.sample_time_us = head["sampleTimeUs"].get<float>();
  if (has(head, "sampleTimeNs")) made.head.sample_time_us = 1e-3F * head["sampleTimeNs"].get<float>();
}

void copy_counters(const Json& idx, ISMRMRD::ISMRMRD_EncodingCounters& made) {
  made.kspace_encode_step_1 = count_of(idx, "kspaceEncodeStep1");
  made.kspace_encode_step_2 = count_of(idx, "kspaceEncodeStep2");
  made.average = count_of(idx, "average");
  made.slice = count_of(idx, "slice");
  made.contrast = count_of(idx, "contrast");
  made.phase = count_of(idx, "phase");
  made.repetition = count_of(idx, "repetition");
  made.set = count_of(idx, "set");
  made.segment = count_of(idx, "segment");
}

void refuse_phases(const Json& item) {
  if (!has(item, "phase")) return;
  const auto& bytes = item["phase"].at("data").get_binary();
  if (std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; })) {
    throw Unsupported("acquisition: it has phases that its samples are yet to be turned by; turn them, and send none");
  }
}

// Positions lie sample by sample in v1, axis by axis in v2.
std::vector<float> positions_of(const Json& trajectory, std::uint64_t samples, std::uint16_t& dimensions) {
  const Extents extents = extents_of(trajectory, "positions");
  dimensions = 0;
  if (extents.rows == 0 || extents.columns == 0) return {};
  if (extents.columns != samples || extents.rows > 16) {
    throw IoError(fmt::format("acquisition: its trajectory is {} x {}, expected dimensions x {} samples", extents.rows,
                              extents.columns, samples));
  }
  dimensions = static_cast<std::uint16_t>(extents.rows);
  const auto from = values_of<float>(trajectory, extents, "positions");
  std::vector<float> made(from.size());
  for (std::uint64_t axis = 0; axis < extents.rows; ++axis) {
    for (std::uint64_t i = 0; i < samples; ++i) made[i * extents.rows + axis] = from[axis * samples + i];
  }
  return made;
}

}  // namespace

Acquisition acquisition_of(const Json& item) {
  refuse_phases(item);
  const Json& head = item.at("head");
  const Json& data = item.at("data");
  const Extents extents = extents_of(data, "samples");
  if (extents.rows > 0xFFFF || extents.columns > 0xFFFF) {
    throw IoError(fmt::format("acquisition: it has {} coils x {} samples, at most 65535 of each are taken",
                              extents.rows, extents.columns));
  }
  Acquisition made;
  made.samples = values_of<std::complex<float>>(data, extents, "samples");
  made.trajectory = positions_of(item.at("trajectory"), extents.columns, made.head.trajectory_dimensions);
  made.head.active_channels = static_cast<std::uint16_t>(extents.rows);
  made.head.number_of_samples = static_cast<std::uint16_t>(extents.columns);
  made.head.flags = head.at("flags").get<std::uint64_t>();
  made.head.measurement_uid = head.at("measurementUid").get<std::uint32_t>();
  made.head.discard_pre = count_of(head, "discardPre");
  made.head.discard_post = count_of(head, "discardPost");
  made.head.center_sample = count_of(head, "centerSample", extents.columns / 2);
  made.head.encoding_space_ref = count_of(head, "encodingSpaceRef");
  copy_counters(head.at("idx"), made.head.idx);
  copy_times(head, made);
  copy_vector(head, "position", made.head.position);
  copy_vector(head, "readDir", made.head.read_dir);
  copy_vector(head, "phaseDir", made.head.phase_dir);
  copy_vector(head, "sliceDir", made.head.slice_dir);
  copy_vector(head, "patientTablePosition", made.head.patient_table_position);
  return made;
}

Json image_item(const OutgoingImage& image, ImageOutput output) {
  const Image as_v1 = image_message(image, output);
  const ISMRMRD::ISMRMRD_ImageHeader& from = as_v1.head;
  const bool is_complex = output == ImageOutput::complex;
  Json head{{"measurementUid", std::uint32_t{from.measurement_uid}},
            {"fieldOfView", vector_of(from.field_of_view)},
            {"position", vector_of(from.position)},
            {"colDir", vector_of(from.read_dir)},
            {"lineDir", vector_of(from.phase_dir)},
            {"sliceDir", vector_of(from.slice_dir)},
            {"patientTablePosition", vector_of(from.patient_table_position)},
            {"average", from.average},
            {"slice", from.slice},
            {"contrast", from.contrast},
            {"phase", from.phase},
            {"repetition", static_cast<std::uint32_t>(image.frame.index.repetition)},
            {"set", from.set},
            {"imageType", is_complex ? 5 : 1},
            {"imageIndex", image.number + 1},
            {"imageSeriesIndex", from.image_series_index}};
  head["acquisitionTimeStampNs"] = image.last.time_ns;
  head["acquisitionTimeStamp"] = image.last.time_ns / ns_per_ms;
  head["physiologyTimeStampNs"] = image.last.physiology_ns;
  Json physiology = Json::array();
  for (const std::uint64_t time : image.last.physiology_ns) physiology.push_back(time / ns_per_ms);
  head["physiologyTimeStamp"] = std::move(physiology);
  Json meta = Json::array();
  for (const auto& [name, value] : image_attributes(image, static_cast<double>(largest_of(image)))) {
    const bool is_number = std::holds_alternative<double>(value);
    Json one{{"tag", is_number ? "float64" : "string"}};
    std::visit([&](const auto& it) { one["value"] = it; }, value);
    meta.push_back(Json::array({name, Json::array({std::move(one)})}));
  }
  std::vector<std::uint8_t> pixels(as_v1.pixels.size());
  std::memcpy(pixels.data(), as_v1.pixels.data(), pixels.size());
  const Json shape{1, from.matrix_size[2], from.matrix_size[1], from.matrix_size[0]};
  Json made{{"head", std::move(head)},
            {"data", {{"shape", shape}, {"data", Json::binary(std::move(pixels))}}},
            {"meta", std::move(meta)}};
  return {{"tag", is_complex ? "imageComplexFloat" : "imageFloat"}, {"value", std::move(made)}};
}

}  // namespace whorl::serve::mrd2
