// The record of a run: how a result was made, as a JSON file beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "whorl/core/context.hpp"

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
  std::vector<RecordTable> tables{};                          ///< data behind a choice, such as a curve over lambda
  std::vector<std::string> notes;
};

/// Size and SHA-256 of a file. Throws IoError naming the file, Cancelled.
InputFile describe_input(const Context& ctx, const std::filesystem::path& path);

/// The path of a result's record: .json behind the whole name, `image.nii.gz` -> `image.nii.gz.json`. So results that
/// differ by their extension alone have records of their own.
std::filesystem::path record_path(const std::filesystem::path& result);

/// Throws ValueError where a file of that name exists which is not a record of the same result, so that it is never
/// replaced. A record is recognized by its content: `program` is whorl, and `record_of` is the result's name without
/// folder. IoError where the record cannot be written.
void check_record_path(const std::filesystem::path& path);

/// Writes the record as JSON under a path of record_path. It adds whorl's version and build, the date (UTC, ISO 8601), the context's device and
/// threads, and the peak memory in bytes of the context's pool and of the process (VmHWM; null if unknown). For a GPU
/// it also adds its name and the peak of the host's pool. Values that JSON cannot hold (NaN, infinity) become null.
///
/// Throws  as check_record_path
void write_record(const Context& ctx, const RunRecord& record, const std::filesystem::path& path);

}  // namespace whorl
