#include "io/ismrmrd_dataset.hpp"

#include <fmt/format.h>

#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr const char* image_variable = "image_0";

}  // namespace

IsmrmrdWriter::IsmrmrdWriter(const std::filesystem::path& path) : path_(path), output_(path) {
  constexpr std::size_t growth = std::size_t{16} << 20U;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  check(H5Pset_fapl_core(access.get(), growth, false) >= 0);
  file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), &H5Fclose);
  check(file_.valid());
  const Hdf5Handle group(H5Gcreate2(file_.get(), group_.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
  check(group.valid());
  // What the library's own opening fills in.
  dataset_.fileid = file_.get();
  dataset_.groupname = group_.data();
}

void IsmrmrdWriter::check(bool succeeded) const {
  // The library does not hand on every error of HDF5.
  if (succeeded && !trap_.failed()) return;
  throw IoError(fmt::format("{}: can not make the ISMRMRD file in memory{}", path_.string(), trap_.reason()));
}

void IsmrmrdWriter::write_header(const std::string& xml) {
  check(ISMRMRD::ismrmrd_write_header(&dataset_, xml.c_str()) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Acquisition& acquisition) {
  check(ISMRMRD::ismrmrd_append_acquisition(&dataset_, &acquisition) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Image& image) {
  check(ISMRMRD::ismrmrd_append_image(&dataset_, image_variable, &image) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::finish() {
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) >= 0);
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  check(size > 0);
  std::vector<char> bytes(static_cast<std::size_t>(size));
  check(H5Fget_file_image(file_.get(), bytes.data(), bytes.size()) == size);
  file_ = Hdf5Handle();
  output_.write(bytes.data(), bytes.size());
  output_.commit();
}

}  // namespace whorl::io
