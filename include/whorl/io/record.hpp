// The record of a run: how a result was made, as a JSON file beside it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/note.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// An input file of a run.
struct InputFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hexadecimal digits
};

/// A table of numbers with named columns.
struct RecordTable {
  std::string name;
  std::vector<std::pair<std::string, std::vector<double>>> columns;
};

/// The caller's part of a record. write_record adds the rest (version, date, machine, peak memory).
struct RunRecord {
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  std::string command_line;
  std::vector<InputFile> inputs;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, Value>> parameters;      ///< in the order of the file
  std::vector<std::vector<double>> residuals;                 ///< [frame][iteration], relative residual norms
  std::vector<std::pair<std::string, double>> stage_seconds;  ///< stage and its time, in the order of the run
  double process_seconds = 0;                                 ///< of all of it, files included; 0: unknown
  std::size_t arrays_peak = 0;                                ///< of the work's pool in bytes; 0: see write_record
  std::size_t host_arrays_peak = 0;                           ///< of the host's, where the work is a GPU's
  std::vector<RecordTable> tables{};                          ///< data behind a choice, such as a curve over lambda
  Notes notes;
  std::string quantity{};  ///< of the first output if it is a map, with its unit: "T2* (ms)"
  std::vector<std::pair<std::string, std::string>> hashes{};  ///< stage and SHA-256 of its array, in the run's order
};

/// Size and SHA-256 of a file. Throws IoError naming the file, Cancelled.
InputFile describe_input(const Context& ctx, const std::filesystem::path& path);

/// SHA-256 of an array's values as they lie in the host's memory. Throws Cancelled.
std::string hash_of(const Context& ctx, ArrayRef<const std::complex<float>> values);

/// SHA-256 of the data and positions of all frames, made of those of parts, which are hashed side by side. A trajectory counts
/// once for the frames in a row that share it. Throws Cancelled.
std::string hash_of(const Context& ctx, const Scan& scan);

/// Quantity of a result as the record beside it says; empty if there is no record, or the record does not say.
std::string quantity_of_result(const std::filesystem::path& result);

/// The path of a result's record: the result's name with .json appended, `image.nii.gz` -> `image.nii.gz.json`. So
/// results whose names differ only by the extension have different records.
std::filesystem::path record_path(const std::filesystem::path& result);

/// Throws ValueError if the record's path is a file that is not a record of the same result, so that such a file is
/// never replaced. A record is recognized by its content: `program` is whorl, and `record_of` is the result's name
/// without folder. Throws IoError if the record cannot be written.
void check_record_path(const std::filesystem::path& path);

/// The record of a result of that name, as JSON. It adds whorl's version and build, the date (UTC, ISO 8601),
/// the context's device and threads, and the peak memory in bytes of the context's pool, that so far unless the record has
/// one, and of the process (VmHWM; null if unknown). For a GPU it adds its name and the peak of the host's pool. NaN and infinity
/// become null.
std::string record_text(const Context& ctx, const RunRecord& record, const std::string& result);

/// The command of a record, as it was typed; empty where the run was not one of the program. Throws IoError (no record of whorl).
std::string command_line_of(const std::filesystem::path& record);

/// Two runs of one request, by their records.
struct RecordComparison {
  std::optional<bool> same_image;  ///< to the bit; nothing: the old record has no hash of its image
  std::string
      first_difference;  ///< in the order of a run: inputs, options, scan, coil maps, solver, image; empty: none
  std::vector<std::string> changes;  ///< of version, device and threads: "threads was 2, is 1"
};

/// Compares what two records tell of their runs. Throws IoError (no record of whorl).
RecordComparison compare_records(const std::filesystem::path& before, const std::filesystem::path& now);

/// Writes it to a path from record_path.
///
/// Throws  as check_record_path
void write_record(const Context& ctx, const RunRecord& record, const std::filesystem::path& path);

}  // namespace whorl
