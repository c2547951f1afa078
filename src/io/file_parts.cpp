#include "whorl/io/file_parts.hpp"

#include "io/cfl/cfl.hpp"
#include "io/cfl/scan_cfl.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pair_of(const fs::path& data) { return {data, fs::path(data).replace_extension(".hdr")}; }

std::vector<fs::path> pairs_of(const std::vector<fs::path>& data_files) {
  std::vector<fs::path> files;
  for (const fs::path& data : data_files) {
    for (fs::path& file : pair_of(data)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

fs::path file_of(const std::string& file_and_name) {
  std::error_code ignored;
  const std::size_t colon = file_and_name.rfind(':');
  if (colon == std::string::npos || fs::exists(file_and_name, ignored)) return file_and_name;
  return file_and_name.substr(0, colon);
}

std::vector<fs::path> files_to_read(const fs::path& path) {
  fs::path data = io::find_cfl(path);
  if (data.empty()) return {path};
  data += ".cfl";
  try {
    return pairs_of(io::cfl_parts_to_read(data));
  } catch (const Error&) {
    return pair_of(data);  // a damaged header: reading says so
  }
}

std::vector<fs::path> files_of_arrays(const fs::path& path) {
  return path.extension() == ".cfl" ? pair_of(path) : std::vector<fs::path>{path};
}

std::vector<fs::path> files_of_scan(const fs::path& path) {
  return path.extension() == ".cfl" ? pairs_of(io::cfl_parts_to_write(path)) : std::vector<fs::path>{path};
}

}  // namespace whorl
