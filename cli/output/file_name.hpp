// Names of files on the command line.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace whorl::cli {

/// The file of "FILE" or "FILE:NAME" (io/array_files.hpp).
std::filesystem::path file_of(const std::string& file_and_name);

/// Throws ValueError where the output is one of the inputs, each "FILE" or "FILE:NAME".
void refuse_to_overwrite(std::span<const std::string> inputs, const std::string& output);

/// Checks for CLI11, which are a message or nothing: of names of arrays, scans, images and pictures to write.
std::string check_array_name(const std::string& path);
std::string check_scan_name(const std::string& path);
std::string check_image_name(const std::string& path);
std::string check_png_name(const std::string& path);

}  // namespace whorl::cli
