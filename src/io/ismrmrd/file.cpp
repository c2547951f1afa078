#include "io/ismrmrd/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "io/hdf5/heap_text.hpp"
#include "io/hdf5/listing.hpp"
#include "io/hdf5/stored.hpp"
#include "io/ismrmrd/raw.hpp"
#include "io/ismrmrd/types.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::io {

IsmrmrdFile::IsmrmrdFile(const std::filesystem::path& path, const std::string& group) : path_(path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw IoError(fmt::format("{}: can not read it: {}", path.string(),
                              error ? error.message() : "it is not a regular file or does not exist"));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw IoError(fmt::format("{}: can not read its size: {}", path.string(), error.message()));
  if (size == 0) throw IoError(fmt::format("{}: the file is empty", path.string()));
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw IoError(
        fmt::format("{}: not an ISMRMRD file (no HDF5 signature, or no permission to read); other layouts have "
                    "to be converted to a scan first",
                    path.string()));
  }
  file_ = open_hdf5(path);
  if (!file_.valid()) fail("can not open it as HDF5: it is damaged or truncated");
  group_ = find_group(group);
  open_table();
}

IsmrmrdFile::~IsmrmrdFile() = default;

void IsmrmrdFile::fail(const std::string& what) const {
  throw IoError(fmt::format("{}: {}{}{}", path_.string(), what, links_.refused(), trap_.reason()));
}

bool IsmrmrdFile::exists(const std::string& path) const {
  return H5Lexists(file_.get(), path.c_str(), links_.get()) > 0;
}

bool IsmrmrdFile::holds_scan(const std::string& group) const {
  return exists(group) && exists(group + "/xml") && exists(group + "/data");
}

Hdf5Handle IsmrmrdFile::open(const std::string& name) const {
  return open_dataset(path_, file_.get(), group_ + "/" + name, links_);
}

std::string IsmrmrdFile::find_group(const std::string& wanted) {
  if (!wanted.empty() && holds_scan(wanted)) return wanted;
  if (!wanted.empty() && exists(wanted)) {
    fail(fmt::format(R"(group "{}" holds no ISMRMRD scan: it has no {})", wanted,
                     exists(wanted + "/xml") ? "data" : "xml"));
  }
  const std::optional<std::vector<std::string>> names = names_in(file_.get());
  if (!names) fail("can not list its groups: it is damaged");
  std::vector<std::string> scans;
  for (const std::string& name : *names) {
    if (holds_scan(name)) scans.push_back(name);
  }
  if (scans.empty()) {
    throw IoError(fmt::format(
        "{}: no ISMRMRD scan in it: no group has both xml and data (groups: {}){}; arrays have to be "
        "converted to a scan first",
        path_.string(), names->empty() ? "none" : fmt::format("{}", fmt::join(*names, ", ")), links_.refused()));
  }
  // The usual name is nobody's choice.
  if (scans.size() == 1 && wanted == ScanReadOptions().group) {
    group_note_ = fmt::format(R"(Group "{}" is not in the file; "{}", the only group with a scan, was taken.)", wanted,
                              scans.front());
    return scans.front();
  }
  fail(fmt::format("no group \"{}\"{}", wanted,
                   scans.size() == 1 ? fmt::format("; the only group with a scan is {}", scans.front())
                                     : fmt::format(", but several scans: choose one of {}", fmt::join(scans, ", "))));
}

void IsmrmrdFile::find_home() {
  const std::string name = file_of_object(table_.get());
  home_ = name;
  std::error_code error;
  file_size_ = std::filesystem::file_size(home_, error);
  if (error) fail(fmt::format("can not read the size of '{}', which its acquisitions lie in", name));
}

void IsmrmrdFile::open_table() {
  const std::string name = group_ + "/data";
  table_ = Hdf5Handle(H5Dopen2(file_.get(), name.c_str(), links_.get()), &H5Dclose);
  if (!table_.valid()) fail(name + " is not a table of acquisitions");
  find_home();
  table_type_ = Hdf5Handle(H5Dget_type(table_.get()), &H5Tclose);
  const std::string fault = acquisition_type_fault(table_type_.get());
  if (!fault.empty()) fail(fmt::format("{} is not a table of ISMRMRD acquisitions: {}", name, fault));
  const Hdf5Handle properties(H5Dget_create_plist(table_.get()), &H5Pclose);
  // HDF5 asks the sources of a virtual table for its length. The table may be a source of itself.
  const bool is_virtual = H5Pget_layout(properties.get()) == H5D_VIRTUAL;
  if (is_virtual) check_stored(path_, table_.get(), name);
  const Hdf5Handle space(H5Dget_space(table_.get()), &H5Sclose);
  if (H5Sget_simple_extent_ndims(space.get()) != 1 && H5Sget_simple_extent_npoints(space.get()) != 1) {
    fail(name + " has more than one axis, expected a list of acquisitions");
  }
  count_ = H5Sget_simple_extent_npoints(space.get());
  if (count_ <= 0) fail(name + " holds no acquisitions");
  // A damaged or forged file may claim any number of acquisitions, but each takes room on the disk. A filter (deflate)
  // expands a byte to at most 1032.
  const double expansion = H5Pget_nfilters(properties.get()) > 0 ? 1032 : 1;
  const double claimed = static_cast<double>(count_) * static_cast<double>(H5Tget_size(table_type_.get()));
  if (claimed > expansion * static_cast<double>(file_size_)) {
    fail(fmt::format("{} claims {} acquisitions, more than a file of {} bytes can hold: it is damaged", name, count_,
                     file_size_));
  }
  if (!is_virtual) check_stored(path_, table_.get(), name);
  raw_ = Raw::open(home_, file_size_, Hdf5Handle(H5Iget_file_id(table_.get()), &H5Fclose).get(), table_.get());
}

std::string IsmrmrdFile::read_xml() const {
  const Hdf5Handle dataset = open("xml");
  const Hdf5Handle type(dataset.valid() ? H5Dget_type(dataset.get()) : -1, &H5Tclose);
  const Hdf5Handle space(dataset.valid() ? H5Dget_space(dataset.get()) : -1, &H5Sclose);
  if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
    fail(group_ + "/xml is not one string, expected the ISMRMRD header");
  }
  if (H5Tis_variable_str(type.get()) > 0) {
    if (std::optional<std::string> xml = read_heap_text(dataset.get())) return *std::move(xml);
    char* text = nullptr;
    if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(&text)) < 0 ||
        text == nullptr) {
      fail(group_ + "/xml can not be read");
    }
    std::string xml(text);
    H5free_memory(text);
    return xml;
  }
  const std::size_t size = H5Tget_size(type.get());
  if (size > file_size_) fail(group_ + "/xml claims to be longer than the file");
  std::string xml(size, '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, xml.data()) < 0) {
    fail(group_ + "/xml can not be read");
  }
  xml.resize(std::min(xml.find('\0'), xml.size()));
  return xml;
}

}  // namespace whorl::io
