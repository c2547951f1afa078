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

/// What CLI11 takes as a check: the message of the ValueError that check(text) throws, or nothing.
std::string message_of_check(void (*check)(const std::filesystem::path&), const std::string& text);

/// A check for CLI11 that a picture's name ends in .png.
std::string check_png_name(const std::string& path);

}  // namespace whorl::cli
