#include "cli/output/file_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/movie.hpp"
#include "whorl/io/picture.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

namespace fs = std::filesystem;

namespace {

// Message of the ValueError that the check throws, or an empty text.
template <class Check>
std::string message_of(const Check& check) {
  try {
    check();
    return {};
  } catch (const ValueError& error) {
    return error.what();
  }
}

}  // namespace

OutputKind array_output() {
  return {.check_name = [](const std::string& name) { return message_of([&] { check_array_extension(name); }); },
          .files = &files_of_arrays};
}

OutputKind scan_output() {
  return {.check_name = [](const std::string& name) { return message_of([&] { check_scan_extension(name); }); },
          .files = &files_of_scan};
}

OutputKind image_output() {
  return {.check_name = [](const std::string& name) { return message_of([&] { check_image_extension(name); }); }};
}

OutputKind png_output() { return output_ending_in({".png"}, "a picture's name"); }

OutputKind json_output() { return {.may_print = true}; }

OutputKind output_ending_in(std::vector<std::string> endings, const std::string& what) {
  return {.check_name = [endings = std::move(endings), what](const std::string& name) {
    const fs::path file = fs::path(name).filename();
    const bool is_known = std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return name.ends_with(ending) && file != ending;
    });
    return is_known ? std::string() : fmt::format("'{}': {} ends in {}", name, what, fmt::join(endings, " or "));
  }};
}

OutputKind output_of(FileUse use) {
  switch (use) {
    case FileUse::none:
    case FileUse::input:
      break;
    case FileUse::output:
      return {};
    case FileUse::image:
      return image_output();
    case FileUse::array:
      return array_output();
    case FileUse::picture:
      return png_output();
    case FileUse::movie:
      return output_ending_in(movie_endings(), "a movie's name");
    case FileUse::normals:
      return output_ending_in({".npz"}, "a normal operator's name");
    case FileUse::checkpoint:
      return folder_output({".bin", "run.json"});
  }
  throw ValueError("output_of: an option that writes nothing");
}

OutputKind samples_output() {
  return {.check_name =
              [](const std::string& name) {
                return image_type(name) == ImageType::npy ? std::string() : scan_output().check_name(name);
              },
          .files = &files_of_scan};
}

OutputKind scan_or_array_output() {
  return {.check_name =
              [](const std::string& name) {
                const std::string no_scan = scan_output().check_name(name);
                if (no_scan.empty() || array_output().check_name(name).empty()) return std::string();
                return fmt::format("{}; arrays as {}", no_scan, array_extensions());
              },
          .files = &files_of_arrays};
}

OutputKind picture_or_array_output() {
  return {.check_name =
              [](const std::string& name) {
                const std::string no_array = array_output().check_name(name);
                if (no_array.empty() || names_picture(name)) return std::string();
                return fmt::format("{}; pictures as {}", no_array, picture_extensions());
              },
          .files = &files_of_arrays};
}

OutputKind folder_output(std::vector<std::string> in_folder) {
  return {.is_folder = true, .makes_folder = true, .in_folder = std::move(in_folder)};
}

OutputKind with_record(OutputKind kind) {
  kind.has_record = true;
  return kind;
}

}  // namespace whorl::cli
