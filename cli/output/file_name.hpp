// Names of files on the command line, and what they stand for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/command_files.hpp"
#include "whorl/core/options.hpp"

namespace whorl::cli {

/// Kinds of outputs, each with the formats that its names may have.
OutputKind array_output();
OutputKind scan_output();
OutputKind image_output();
OutputKind png_output();
/// "-" is standard output.
OutputKind json_output();
/// A file whose name ends in one of these; `what` begins the message of another one: "a picture's name".
OutputKind output_ending_in(std::vector<std::string> endings, const std::string& what);
/// Scans, and .npy for samples alone.
OutputKind samples_output();
/// Scans and arrays: which of the two is known when the inputs are read (CommandFiles::check_written).
OutputKind scan_or_array_output();
/// Pictures of any kind, and arrays.
OutputKind picture_or_array_output();
/// A folder for files whose names end so.
OutputKind folder_output(std::vector<std::string> in_folder);
/// Throws ValueError for an option that writes nothing.
OutputKind output_of(FileUse use);

/// The record of the run lies beside it.
OutputKind with_record(OutputKind kind);

}  // namespace whorl::cli
