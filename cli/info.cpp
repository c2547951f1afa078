// whorl info: what is in a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/array_facts.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/format.hpp"
#include "cli/output/print.hpp"
#include "cli/output/scan_facts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

namespace fs = std::filesystem;

struct Options {
  std::string file;
  bool json = false;
  ScanReadOptions read;
};

// What `whorl recon` takes with its default options, on the device that it would run on.
struct ReconMemory {
  std::uint64_t cg_sense;
  std::uint64_t gridding;
};

ReconMemory memory_of(const Context& ctx, const Scan& scan) {
  if (scan.coils == 0) return {0, 0};
  const auto bytes = [&](ReconMethod method) {
    return static_cast<std::uint64_t>(reconstruction_memory(ctx, scan, {.method = method}));
  };
  return {bytes(ReconMethod::cg_sense), bytes(ReconMethod::gridding)};
}

std::string text_of(const Range& range) {
  return range.least == range.most ? fmt::format("{}", range.least) : fmt::format("{} to {}", range.least, range.most);
}

std::string encoding_text(const Scan& scan, const ScanFacts& facts) {
  std::string text =
      fmt::format("{}D {}, matrix {} x {}", scan.dim(), scan.trajectory_kind, scan.matrix[0], scan.matrix[1]);
  if (scan.dim() == 3) text += fmt::format(" x {}", scan.matrix[2]);
  const auto& view = facts.field_of_view_mm;
  if (view[0] <= 0) return text + ", field of view not known";
  return text + fmt::format(", field of view {:g} x {:g} x {:g} mm", view[0], view[1], view[2]);
}

std::string trajectory_text(const Scan& scan, const ScanFacts& facts) {
  std::string text = fmt::format("{}; largest |k| {:.4g} (x), {:.4g} (y)", scan.trajectory_unit, facts.largest_k[0],
                                 facts.largest_k[1]);
  if (scan.dim() == 3) text += fmt::format(", {:.4g} (z)", facts.largest_k[2]);
  return text + " cycles per pixel";
}

std::string frames_text(const Scan& scan, const ScanFacts& facts) {
  return fmt::format("{} (slices {}, contrasts {}, phases {}, repetitions {}, sets {})", scan.frames.size(),
                     facts.slices, facts.contrasts, facts.phases, facts.repetitions, facts.sets);
}

std::string samples_text(const ScanFacts& facts) {
  std::string text = text_of(facts.samples) + " a frame and coil";
  if (facts.readouts.least > 0) text += fmt::format(", in {} readouts", text_of(facts.readouts));
  return text + (facts.has_weights ? ", with density weights" : "");
}

std::string noise_text(const Scan& scan, const ScanFacts& facts) {
  if (facts.noise_samples == 0) return "none";
  std::string text = fmt::format("{} samples a coil", facts.noise_samples);
  if (scan.noise_dwell_us > 0) text += fmt::format(", every {:g} us", scan.noise_dwell_us);
  return text;
}

std::string line(const char* name, const std::string& value) { return fmt::format("{:<14}{}\n", name, value); }

std::string file_text(const std::string& path, const FileDescription& file) {
  return line("file", fmt::format("{} ({}, {})", path, file.description, format_bytes(file.bytes)));
}

std::string array_text(const ArrayFacts& array) {
  if (!array.fault.empty()) return fmt::format("{} NOT READABLE: {}", array.name, array.fault);
  std::string text = fmt::format("{} {} {}", array.name, array.type, to_string(array.shape));
  if (array.count > 0) {
    text += fmt::format(", {} {:.6g} to {:.6g}, mean {:.6g}", array.is_complex ? "magnitude" : "values", array.least,
                        array.most, array.mean);
  }
  if (array.not_finite > 0) text += fmt::format(", {} NOT FINITE", array.not_finite);
  if (array.voxel_mm) {
    const auto& edges = *array.voxel_mm;
    text += fmt::format(", voxels {:.4g} x {:.4g} x {:.4g} mm", edges[0], edges[1], edges[2]);
  }
  return text;
}

Json to_json(const ArrayFacts& array) {
  if (!array.fault.empty()) return {{"name", array.name}, {"fault", array.fault}};
  Json json{{"name", array.name},
            {"type", array.type},
            {"shape", std::vector<Index>(array.shape.begin(), array.shape.end())},
            {"least", array.least},
            {"most", array.most},
            {"mean", array.mean},
            {"not_finite", array.not_finite}};
  if (array.voxel_mm) json["voxel_mm"] = *array.voxel_mm;
  return json;
}

std::string to_text(const Scan& scan, const ScanFacts& facts, const ReconMemory& memory, const FileDescription& file) {
  std::string text = file_text(scan.source, file);
  if (!scan.system.empty()) text += line("system", scan.system);
  text += line("encoding", encoding_text(scan, facts));
  text += line("trajectory", trajectory_text(scan, facts));
  text += line("coils", scan.coils > 0 ? fmt::format("{}", scan.coils) : "none: a trajectory without data");
  text += line("noise scan", noise_text(scan, facts));
  text += line("frames", frames_text(scan, facts));
  text += line("samples", samples_text(facts));
  if (scan.dwell_us > 0) text += line("sample time", fmt::format("{:g} us", scan.dwell_us));
  if (scan.readout_interval_ms > 0) text += line("readouts", fmt::format("every {:g} ms", scan.readout_interval_ms));
  if (!scan.echo_times_ms.empty())
    text += line("echoes", fmt::format("at {:g} ms", fmt::join(scan.echo_times_ms, ", ")));
  text += line("data", format_bytes(facts.data_bytes) + " in memory");
  if (scan.coil_maps.size() > 0) text += line("coil maps", to_string(scan.coil_maps.shape()));
  if (scan.coils > 0)
    text += line("recon needs", fmt::format("{} (cg-sense), {} (gridding)", format_bytes(memory.cg_sense),
                                            format_bytes(memory.gridding)));
  for (const std::string& note : scan.notes) text += line("note", note);
  return text;
}

Json to_json(const Range& range) { return {{"least", range.least}, {"most", range.most}}; }

Json to_json(const Scan& scan, const ScanFacts& facts, const ReconMemory& memory, const FileDescription& file) {
  Json json;
  json["file"] = scan.source;
  json["file_bytes"] = file.bytes;
  json["format"] = file.format;
  json["system"] = scan.system;
  json["dimensions"] = scan.dim();
  json["matrix"] = scan.matrix;
  json["field_of_view_mm"] = facts.field_of_view_mm;
  json["trajectory"] = {{"kind", scan.trajectory_kind},
                        {"unit", scan.trajectory_unit},
                        {"largest_k_cycles_per_pixel", facts.largest_k},
                        {"density_weights", facts.has_weights}};
  json["coils"] = scan.coils;
  json["noise"] = {{"samples_per_coil", facts.noise_samples}, {"dwell_us", scan.noise_dwell_us}};
  json["dwell_us"] = scan.dwell_us;
  json["readout_interval_ms"] = scan.readout_interval_ms;
  json["echo_times_ms"] = scan.echo_times_ms;
  json["frames"] = {{"count", scan.frames.size()}, {"slices", facts.slices},           {"contrasts", facts.contrasts},
                    {"phases", facts.phases},      {"repetitions", facts.repetitions}, {"sets", facts.sets}};
  json["samples_per_frame"] = to_json(facts.samples);
  json["readouts_per_frame"] = to_json(facts.readouts);
  json["data_bytes"] = facts.data_bytes;
  json["reconstruction_bytes"] = {{"cg-sense", memory.cg_sense}, {"gridding", memory.gridding}};
  json["notes"] = std::vector<std::string>(scan.notes.begin(), scan.notes.end());
  return json;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

void describe_as_scan(const Options& options, const Session& session, const FileDescription& file) {
  const Scan scan = read_scan(session.ctx, options.file, options.read);
  const ScanFacts facts = describe_scan(scan);
  const ReconMemory memory = memory_of(session.device(), scan);
  print(options.json ? dump(to_json(scan, facts, memory, file)) : to_text(scan, facts, memory, file));
}

// All arrays of the file, or that of FILE:NAME.
std::vector<NamedArray> wanted_arrays(const Options& options, const Session& session) {
  const fs::path path = file_of(options.file);
  std::vector<NamedArray> arrays = read_arrays(session.ctx, path);
  if (path == options.file) return arrays;
  const std::string name = options.file.substr(path.string().size() + 1);
  std::string names;
  for (NamedArray& array : arrays) {
    names += (names.empty() ? "" : ", ") + array.name;
    if (array.name != name) continue;
    check_readable(array);
    NamedArray found = std::move(array);
    arrays.clear();
    arrays.push_back(std::move(found));
    return arrays;
  }
  throw ValueError(fmt::format("{}: no array {} in it; it has {}", path.string(), name, names));
}

void describe_as_arrays(const Options& options, const Session& session, const FileDescription& file) {
  const std::vector<ArrayFacts> facts = describe_arrays(wanted_arrays(options, session));
  if (!options.json) {
    std::string text = file_text(options.file, file);
    for (const ArrayFacts& array : facts) text += line("array", array_text(array));
    return print(text);
  }
  Json json{{"file", options.file}, {"file_bytes", file.bytes}, {"format", file.format}, {"arrays", Json::array()}};
  for (const ArrayFacts& array : facts) json["arrays"].push_back(to_json(array));
  print(dump(json));
}

void run(const Options& options, const Session& session) {
  const fs::path path = file_of(options.file);
  const FileDescription file = describe_file(path);
  if (path != options.file || (file.holds_arrays && !file.holds_scan))
    return describe_as_arrays(options, session, file);
  describe_as_scan(options, session, file);
}

// A file that can not be read is left to the reader, which says why.
bool may_be_scan(const std::string& file_and_name) {
  try {
    const fs::path path = file_of(file_and_name);
    const FileDescription file = describe_file(path);
    return path == file_and_name && (file.holds_scan || !file.holds_arrays);
  } catch (const Error&) {
    return true;
  }
}

constexpr const char* examples = R"(Examples:
  whorl info scan.h5                    what the file holds: encoding, trajectory, coils, frames, sizes
  whorl info scan.h5 --json             the same for programs
  whorl info image.nii.gz               arrays: types, shapes, ranges, voxel sizes
  whorl info maps.npz:b0                one array of several
  whorl info scan.h5 --trajectory-unit rad/pixel
                                        when the unit of the trajectory can not be told from its numbers)";

}  // namespace

Command info_command() {
  return {"info", "Say what is in a file: a scan's trajectory, coils, frames; the arrays of other files", examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("file", options->file, "Scan or arrays, of any format; FILE:NAME is one array")->required();
            app.add_flag("--json", options->json, "Print JSON");
            add_scan_options(app, options->read, [options] { return options->file; });
            for (const OptionDescriptor& option : option_table<ScanReadOptions>().descriptors()) {
              app.get_option("--" + option.name)->when("scans", [options] { return may_be_scan(options->file); });
            }
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
