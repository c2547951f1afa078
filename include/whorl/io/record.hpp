// The record of a run: how a result was made, as JSON beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl {

/// A file that went into the result.
struct InputFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hexadecimal digits
};

/// Numbers in named columns.
struct RecordTable {
  std::string name;
  std::vector<std::pair<std::string, std::vector<double>>> columns;
};

/// What the caller knows of a run. The rest (version, date, machine, peak memory) write_record finds out.
struct RunRecord {
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  std::string command_line;
  std::vector<InputFile> inputs;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, Value>> parameters;      ///< in the order of the file
  std::vector<std::vector<double>> residuals;                 ///< [frame][iteration], relative residual norms
  std::vector<std::pair<std::string, double>> stage_seconds;  ///< stage and its time, in the order of the run
  std::vector<RecordTable> tables{};                          ///< what was chosen from, such as a curve over lambda
  std::vector<std::string> notes;
};

/// Size and SHA-256 of a file. Throws IoError naming the file, Cancelled.
InputFile describe_input(const Context& ctx, const std::filesystem::path& path);

/// Where the record of a result lies: the result's path with .json for its extension, `image.nii.gz` -> `image.json`.
std::filesystem::path record_path(const std::filesystem::path& result);

/// Writes the record as JSON, with whorl's version and build, the date (UTC, ISO 8601), the context's device and
/// threads, and the most memory that the context's pool and the process (VmHWM; null where the system does not say)
/// ever held, in bytes; where the device is a GPU also its name, and the most that the pool of the host held. Numbers
/// that JSON can not hold (not finite) become null.
///
/// Throws  IoError
void write_record(const Context& ctx, const RunRecord& record, const std::filesystem::path& path);

}  // namespace whorl
