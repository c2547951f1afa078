// whorl convert: scans and arrays from one format to another.
#include "whorl/io/convert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/record.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  std::string format;
  std::vector<Index> matrix;
  std::vector<double> field_of_view_mm;
  ScanReadOptions read;
  ConvertOptions convert;
  mutable std::optional<bool> k_space;  // whether the arrays are named as a scan, once asked
};

void add_parameters(const ConvertOptions& convert, const Scan& scan, RunRecord& record) {
  record.parameters = {{"matrix", fmt::format("{}", fmt::join(scan.matrix, " x "))},
                       {"field_of_view_mm", fmt::format("{}", fmt::join(convert.field_of_view_mm, " x "))},
                       {"trajectory_kind", scan.trajectory_kind},
                       {"trajectory_unit", scan.trajectory_unit},
                       {"center", std::string(to_string(convert.center))},
                       {"dwell_us", scan.dwell_us}};
  record.notes = scan.notes;
}

// --kind of a scan without positions. ISMRMRD's name for spokes at golden angles is two options of the reader.
void state_kind(const std::string& kind, ScanReadOptions& read) {
  if (kind == ConvertOptions().trajectory_kind) return;
  const bool golden = kind == "goldenangle";
  if (golden && !read.angle) read.angle = SpokeOrder::golden_angle;
  const auto& table = option_table<ScanReadOptions>();
  table.set_value(&read, table.index_of("kind"), golden ? std::string("radial") : kind);
}

// A file that says all of a scan, or arrays that together are one.
Scan read_as_scan(const Options& options, const Session& session, bool complete) {
  if (complete) {
    ScanReadOptions read = options.read;
    read.trajectory_unit = options.convert.trajectory_unit;
    read.trajectory_columns = options.convert.trajectory_columns;
    read.center = options.convert.center;
    read.field_of_view_mm = options.field_of_view_mm;
    state_kind(options.convert.trajectory_kind, read);
    read.trajectory_from = options.convert.trajectory_from;
    return read_scan(session.ctx, options.inputs.front(), read);
  }
  return convert_scan(session.ctx, {options.inputs.begin(), options.inputs.end()}, options.convert);
}

std::vector<NamedArray> read_as_arrays(const Options& options, const Session& session) {
  std::vector<NamedArray> arrays;
  for (const std::string& input : options.inputs) {
    if (file_of(input) != input) {
      arrays.push_back(read_array(session.ctx, input));
      continue;
    }
    for (NamedArray& array : read_arrays(session.ctx, input)) {
      check_readable(array);
      check_finite(array.values, fmt::format("{}: {}", input, array.name));
      arrays.push_back(std::move(array));
    }
  }
  return arrays;
}

// What the inputs are, and what is to be made of them.
struct Conversion {
  bool named = false;     // FILE:NAME
  FileDescription first;  // of the first input, unless it is named
  bool complete = false;  // a scan that stays one
  bool to_scan = false;

  bool challenge() const { return to_scan && first.format == "challenge"; }
  bool pulseq() const { return to_scan && first.format == "pulseq"; }
  bool raw() const { return to_scan && !complete && !named && first.format.empty(); }
  bool arrays_to_scan() const { return to_scan && !complete && !challenge() && !pulseq() && !raw(); }
};

// Options that arrays which stay arrays have no use for.
bool states_scan(const ConvertOptions& convert) {
  return convert.trajectory_kind == "cartesian" || !convert.trajectory_from.empty();
}

// Options that say which arrays are a scan, and how.
bool names_parts(const ConvertOptions& convert) {
  return !convert.data_variable.empty() || !convert.trajectory_variable.empty() || !convert.data_axes.empty() ||
         !convert.trajectory_axes.empty();
}

// HDF5 holds scans and arrays; --to says which.
bool is_card(const Options& options) { return options.output.ends_with(".h5") && options.format.empty(); }

bool may_be_scan(const Options& options) {
  try {
    check_scan_extension(options.output, options.format);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool are_k_space(const Options& options) {
  if (!options.k_space) options.k_space = holds_k_space(Context(), {options.inputs.begin(), options.inputs.end()});
  return *options.k_space;
}

Conversion conversion_of(const Options& options) {
  Conversion conversion;
  const std::string& input = options.inputs.front();
  conversion.named = file_of(input) != input;
  if (!conversion.named) conversion.first = describe_file(input);
  // With a matrix the inputs are to become a scan; without one a single file that is a scan stays one.
  conversion.complete = options.inputs.size() == 1 && conversion.first.holds_scan && options.matrix.empty();
  conversion.to_scan = conversion.complete || !options.matrix.empty() || states_scan(options.convert) ||
                       (!conversion.named &&
                        (!conversion.first.holds_arrays || (names_parts(options.convert) && may_be_scan(options)))) ||
                       (!conversion.named && is_card(options) && are_k_space(options));
  return conversion;
}

void run(Options options, const Session& session) {
  const Conversion conversion = conversion_of(options);
  const auto& [named, first, complete, to_scan] = conversion;
  if (!named && first.format.empty() && options.inputs.size() == 1) read_arrays(session.ctx, options.inputs.front());
  if (!options.matrix.empty()) {
    // Two numbers are a 2D image; a field of view in the plane leaves the thickness unknown.
    options.convert.matrix = {options.matrix[0], options.matrix[1], options.matrix.size() > 2 ? options.matrix[2] : 1};
  }
  std::copy(options.field_of_view_mm.begin(), options.field_of_view_mm.end(), options.convert.field_of_view_mm.begin());

  using Clock = std::chrono::steady_clock;
  RunRecord record = begin_record(session);
  const auto start = Clock::now();
  auto converted = start;
  if ((conversion.pulseq() || conversion.raw()) && !complete && options.matrix.empty()) {
    refuse("the files do not say which image is to be made of them; give its pixels along x, y (and z) with --matrix");
  }
  if (to_scan) {
    check_scan_extension(options.output, options.format);
    session.files.check_written(options.output, files_of_scan(options.output));
    const Scan scan = read_as_scan(options, session, complete);
    converted = Clock::now();
    write_scan(session.ctx, scan, options.output, options.format);
    add_parameters(options.convert, scan, record);
  } else {
    check_array_extension(options.output, options.format);
    const std::vector<NamedArray> arrays = read_as_arrays(options, session);
    converted = Clock::now();
    write_arrays(session.ctx, options.output, arrays, options.format);
    for (const NamedArray& array : arrays) {
      record.notes.emplace_back(
          fmt::format("Array {}: {} {}.", array.name, type_name(array.values), to_string(shape_of(array.values))));
    }
  }
  const auto written = Clock::now();
  record.stage_seconds = {{"convert", std::chrono::duration<double>(converted - start).count()},
                          {"write", std::chrono::duration<double>(written - converted).count()}};
  finish_run(session, record);
}

constexpr const char* examples = R"(Examples:
  whorl convert liver.mat -o scan.h5 --matrix 256 256 --fov 320 320
                                        a MATLAB file with data and trajectory
  whorl convert ksp.cfl traj.cfl -o scan.h5 --matrix 128 128
                                        a pair of BART's
  whorl convert scan.mat -o scan.h5 --matrix 128 128 --data kdata --data-axes readout,shot,coil,repetition
                                        when the names or the axes can not be told
  whorl convert ksp.cfl -o scan.h5 --kind cartesian
                                        Cartesian k-space: samples that are not 0, on the grid of its axes
  whorl convert data.npy -o scan.h5 --trajectory-from traj.h5
                                        positions from another file: a trajectory, a scan, a sequence
  whorl convert ksp.cfl traj.cfl -o scan.h5 --matrix 64 64 32 --data-axes readout,shot,partition,coil
      --trajectory-axes dim,readout,shot,partition
                                        a stack of stars or spirals; kx and ky alone take kz from the partition
  whorl convert kx.mat ky.mat data.mat -o scan.h5 --matrix 64 64 --trajectory kx,ky --data data --center middle
                                        one array an axis; coordinate 0 in the middle of the grid, (N-1)/2
  whorl convert traj.raw coil0.raw coil1.raw -o scan.h5 --matrix 128 128 128 --trajectory-unit cycles/fov
                                        raw files: trajectory (float32), then one file a coil (complex64)
  whorl convert sequence.seq -o traj.h5 --matrix 256 256
                                        the trajectory of a Pulseq sequence, for an image of 256 x 256
  whorl convert scan.h5 -o scan.npz     a scan in another format; .cfl makes scan.cfl, scan_traj.cfl and so on
  whorl convert scan.h5 -o scan_plain.h5 --to challenge
                                        HDF5 as in the ISMRM reproducibility challenge
  whorl convert image.nii.gz -o image.npy
                                        arrays: images, maps, matrices; FILE:NAME takes one of several
A scan stays a scan, arrays stay arrays; with --matrix, or options that name the parts of a scan or their axes, arrays become one.
What a file holds: whorl info FILE)";

const OptionTable<Options>& image_table() {
  static const OptionTable<Options> table =
      OptionTable<Options>("convert")
          .list("matrix", &Options::matrix, 2, 3, OptionRange::at_least(1), "pixels",
                "The image to be made, for inputs that do not say it: x y, or x y z in 3D")
          .list("fov", &Options::field_of_view_mm, 2, 3, OptionRange{1e-6, 1e9}, "mm",
                "Field of view of the image: x y, or x y z");
  return table;
}

void add_layout_options(App& app, ConvertOptions& options) {
  app.add_word("--kind", options.trajectory_kind,
               "Kind of trajectory. Of an ISMRMRD scan cartesian, radial, goldenangle, stack-of-stars, kooshball or "
               "phyllotaxis: positions are those that the counters tell")
      ->check(is_member_in_any_case({"cartesian", "epi", "radial", "goldenangle", "spiral", "other", "stack-of-stars",
                                     "kooshball", "phyllotaxis"}))
      ->capture_default_str()
      ->group("What the files do not say");
  add_options(app, options);
}

// What the inputs say themselves, and what arrays that stay arrays do not need, can not be given.
void add_conditions(App& app, const Options& options) {
  const auto only_for = [&](const std::vector<const char*>& names, const char* what,
                            bool (*applies)(const Conversion&)) {
    for (const char* name : names) {
      app.get_option(name)->when(what, [&options, applies] {
        try {
          return applies(conversion_of(options));
        } catch (const Error&) {
          return true;  // why the input can not be read is better said by the reader
        }
      });
    }
  };
  only_for({"--matrix"}, "files that are no ISMRMRD scan", [](const Conversion& what) {
    return what.named || what.first.format != "ismrmrd" || !what.first.holds_scan;
  });
  only_for({"--fov"}, "scans that do not say it, and files that become one (--matrix)",
           [](const Conversion& what) { return what.to_scan; });
  only_for({"--kind"}, "files that become a scan (--matrix) and ISMRMRD scans",
           [](const Conversion& what) { return what.to_scan && (!what.complete || what.first.format == "ismrmrd"); });
  only_for({"--dwell", "--echo-times"}, "files that become a scan (--matrix)",
           [](const Conversion& what) { return what.to_scan && !what.complete && !what.pulseq(); });
  only_for({"--center"}, "scans, and files that become one (--matrix)",
           [](const Conversion& what) { return what.to_scan && !what.pulseq(); });
  only_for({"--trajectory-unit"}, "scans that leave it open, and files that become one (--matrix)",
           [](const Conversion& what) {
             return what.to_scan && !((what.complete || what.challenge() || what.pulseq()) && what.first.states_unit);
           });
  only_for({"--trajectory-columns"}, "raw files and ISMRMRD scans",
           [](const Conversion& what) { return what.raw() || (what.complete && what.first.format == "ismrmrd"); });
  only_for({"--readout-length"}, "raw files and arrays that become a scan (--matrix)",
           [](const Conversion& what) { return what.raw() || what.arrays_to_scan(); });
  only_for({"--data", "--trajectory", "--weights", "--data-axes", "--trajectory-axes"},
           "arrays that become a scan (--matrix)", [](const Conversion& what) { return what.arrays_to_scan(); });
  only_for({"--trajectory-from"}, "scans, and arrays that become one",
           [](const Conversion& what) { return what.complete || what.arrays_to_scan(); });
  only_for({"--noise-from"}, "scans (no --matrix)", [](const Conversion& what) { return what.complete; });
  only_for({"--group", "--encoding", "--keep-flags", "--drop-flags", "--angle", "--golden-index"}, "ISMRMRD scans",
           [](const Conversion& what) { return what.complete && what.first.format == "ismrmrd"; });
}

}  // namespace

Command convert_command() {
  return {"convert", "Turn scans and arrays of any format into another", examples, [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("inputs", options->inputs,
                          "Files to convert; of raw files the trajectory first, then one per coil")
                ->required();
            app.add_output("-o,--output", options->output, with_record(scan_or_array_output()),
                           fmt::format("File to write, the record of the run beside it; scans: {}; arrays: {}",
                                       scan_extensions(), array_extensions()))
                ->required();
            app.add_word("--to", options->format,
                         "Format to write, where the extension leaves it open: challenge, hdf5")
                ->when("outputs in HDF5 (.h5)", [options] { return options->output.ends_with(".h5"); });
            add_options(app, *options, image_table());
            const std::vector<std::string> reading{"group",        "encoding",   "noise-from", "angle",
                                                   "golden-index", "keep-flags", "drop-flags"};
            std::vector<ShownOption> changed;
            for (const std::string& name : reading) changed.push_back({.name = name, .group = "Options"});
            add_options(app, options->read, {.only = reading, .changed = changed});
            add_layout_options(app, options->convert);
            add_conditions(app, *options);
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
