#include "io/ismrmrd/dataset.hpp"

namespace whorl::io {

namespace {

constexpr const char* image_variable = "image_0";

}  // namespace

IsmrmrdWriter::IsmrmrdWriter(const std::filesystem::path& path) : file_(path) {
  const Hdf5Handle group(H5Gcreate2(file_.id(), group_.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
  file_.check(group.valid());
  // What the library's own opening fills in.
  dataset_.fileid = file_.id();
  dataset_.groupname = group_.data();
}

void IsmrmrdWriter::write_header(const std::string& xml) {
  file_.check(ISMRMRD::ismrmrd_write_header(&dataset_, xml.c_str()) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Acquisition& acquisition) {
  file_.check(ISMRMRD::ismrmrd_append_acquisition(&dataset_, &acquisition) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Image& image) {
  file_.check(ISMRMRD::ismrmrd_append_image(&dataset_, image_variable, &image) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::append(const std::string& name, const ISMRMRD::ISMRMRD_NDArray& array) {
  file_.check(ISMRMRD::ismrmrd_append_array(&dataset_, name.c_str(), &array) == ISMRMRD::ISMRMRD_NOERROR);
}

}  // namespace whorl::io
