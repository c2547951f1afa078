#include "io/hdf5/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_virtual_levels = 8;  // of virtual data sets that are made of virtual ones
constexpr std::size_t most_sources = 65536;     // that are looked at

using Identity = std::pair<unsigned long, haddr_t>;

bool has_own_fill_value(hid_t properties) {
  H5D_fill_value_t kind = H5D_FILL_VALUE_UNDEFINED;
  return H5Pfill_value_defined(properties, &kind) >= 0 && kind == H5D_FILL_VALUE_USER_DEFINED;
}

hssize_t elements_of(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), &H5Sclose);
  return H5Sget_simple_extent_npoints(space.get());
}

// HDF5 fills a buffer with as many letters as it is long, and says how many there are.
template <class Get>
std::string text_of(const Get& get) {
  const ssize_t length = get(nullptr, 0);
  if (length <= 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  get(text.data(), text.size());
  text.pop_back();
  return text;
}

// Chunks of the whole data set, and those that are in the file. HDF5's own status compares bytes, of which compressed
// chunks have fewer.
std::pair<hsize_t, hsize_t> chunks_of(hid_t dataset, hid_t properties) {
  const Hdf5Handle space(H5Dget_space(dataset), &H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  hsize_t stored = 0;
  if (H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data()) != rank ||
      H5Dget_num_chunks(dataset, space.get(), &stored) < 0) {
    return {1, 0};
  }
  hsize_t all = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    all *= (extents[axis] + chunk[axis] - 1) / std::max<hsize_t>(chunk[axis], 1);
  }
  return {all, stored};
}

std::string allocation_fault(hid_t dataset, hid_t properties) {
  if (H5Pget_layout(properties) == H5D_COMPACT || elements_of(dataset) <= 0) return {};
  constexpr const char* never = "it was never written: the file has its shape alone";
  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    const auto [all, stored] = chunks_of(dataset, properties);
    if (stored == 0) return never;
    return stored < all && !has_own_fill_value(properties) ? "a part of it was never written" : "";
  }
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (H5Dget_space_status(dataset, &status) < 0) return "its storage can not be examined: the file is damaged";
  return status == H5D_SPACE_STATUS_NOT_ALLOCATED ? never : "";
}

// Numbers in files beside it, without HDF5's structure.
std::string external_fault(hid_t properties) {
  const int count = H5Pget_external_count(properties);
  for (int i = 0; i < count; ++i) {
    constexpr std::size_t longest = 4096;
    std::string name(longest, '\0');
    off_t offset = 0;
    hsize_t bytes = 0;
    if (H5Pget_external(properties, static_cast<unsigned>(i), longest - 1, name.data(), &offset, &bytes) < 0) {
      return "the list of its external files can not be read";
    }
    name.resize(name.find('\0'));
    std::error_code error;
    const bool is_file = fs::is_regular_file(name, error);
    const std::uintmax_t size = is_file ? fs::file_size(name, error) : 0;
    if (!is_file || error) return fmt::format("its numbers lie in '{}', which is not a regular file", name);
    if (bytes != H5F_UNLIMITED && (static_cast<std::uintmax_t>(offset) > size || bytes > size - offset)) {
      return fmt::format("its numbers lie in '{}', which ends before them", name);
    }
  }
  return {};
}

/// Follows virtual data sets to their sources.
class Sources {
 public:
  std::string fault_of(const fs::path& file, hid_t dataset) {
    H5O_info_t info;
    if (H5Oget_info2(dataset, &info, H5O_INFO_BASIC) < 0) return "it can not be examined: the file is damaged";
    const Identity identity{info.fileno, info.addr};
    if (std::find(above_.begin(), above_.end(), identity) != above_.end()) return "it is a source of itself";
    if (sound_.contains(identity)) return {};
    const Hdf5Handle properties(H5Dget_create_plist(dataset), &H5Pclose);
    if (!properties.valid()) return "its layout can not be read: the file is damaged";
    std::string fault;
    if (H5Pget_layout(properties.get()) == H5D_VIRTUAL) {
      if (above_.size() == most_virtual_levels)
        return fmt::format("its sources are virtual in more than {} levels", most_virtual_levels);
      above_.push_back(identity);
      fault = fault_of_sources(file, dataset, properties.get());
      above_.pop_back();
    } else {
      fault = external_fault(properties.get());
      if (fault.empty()) fault = allocation_fault(dataset, properties.get());
    }
    if (fault.empty()) sound_.insert(identity);
    return fault;
  }

 private:
  std::string fault_of_sources(const fs::path& file, hid_t dataset, hid_t properties) {
    std::size_t count = 0;
    if (H5Pget_virtual_count(properties, &count) < 0) return "its sources can not be read: the file is damaged";
    seen_ += count;
    if (seen_ > most_sources) return fmt::format("it has more than {} sources", most_sources);
    hssize_t covered = 0;
    bool is_open_ended = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto in =
          text_of([&](char* to, std::size_t size) { return H5Pget_virtual_filename(properties, i, to, size); });
      const auto name =
          text_of([&](char* to, std::size_t size) { return H5Pget_virtual_dsetname(properties, i, to, size); });
      if (in.find('%') != std::string::npos || name.find('%') != std::string::npos) {
        return fmt::format("its source {} in '{}' is a pattern of names, which is not followed", name, in);
      }
      std::string fault = fault_of_source(file, in, name);
      if (!fault.empty()) return fmt::format("its source {} in '{}': {}", name, in, fault);
      const Hdf5Handle part(H5Pget_virtual_vspace(properties, i), &H5Sclose);
      const hssize_t points = H5Sget_select_npoints(part.get());
      is_open_ended = is_open_ended || points < 0;
      covered += std::max<hssize_t>(points, 0);
    }
    if (is_open_ended || has_own_fill_value(properties) || covered >= elements_of(dataset)) return {};
    return "a part of it has no source";
  }

  std::string fault_of_source(const fs::path& file, const std::string& in, const std::string& name) {
    std::vector<fs::path> places{file};
    if (in != ".") places = places_of(file, in);
    std::error_code ignored;
    const auto place = std::find_if(places.begin(), places.end(),
                                    [&](const fs::path& candidate) { return fs::exists(candidate, ignored); });
    if (place == places.end()) return "there is no such file";
    const Hdf5Handle source_file = open_hdf5(*place);
    if (!source_file.valid()) return "it is not a regular file in HDF5's format";
    const Hdf5Links links;
    const Hdf5Handle source(H5Dopen2(source_file.get(), name.c_str(), links.get()), &H5Dclose);
    if (!source.valid()) return "there is no such data set" + links.refused();
    return fault_of(*place, source.get());
  }

  std::vector<Identity> above_;  // the data sets of which this one is a source
  std::set<Identity> sound_;
  std::size_t seen_ = 0;
};

}  // namespace

Hdf5Handle open_dataset(const fs::path& path, hid_t file, const std::string& name, const Hdf5Links& links) {
  Hdf5Handle dataset(H5Dopen2(file, name.c_str(), links.get()), &H5Dclose);
  if (dataset.valid()) check_stored(path, dataset.get(), name);
  return dataset;
}

void check_stored(const fs::path& path, hid_t dataset, const std::string& name) {
  const std::string fault = Sources().fault_of(path, dataset);
  if (!fault.empty()) throw IoError(fmt::format("{}: {} can not be read: {}", path.string(), name, fault));
}

}  // namespace whorl::io
