#include "io/ismrmrd_dataset.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr const char* group = "dataset";
constexpr const char* image_variable = "image_0";

}  // namespace

IsmrmrdWriter::IsmrmrdWriter(const std::filesystem::path& path) : path_(path), temporary_(path) {
  check(ISMRMRD::ismrmrd_init_dataset(&dataset_, temporary_.path().c_str(), group), "make");
  check(ISMRMRD::ismrmrd_open_dataset(&dataset_, true), "make");
}

IsmrmrdWriter::~IsmrmrdWriter() { close(); }

int IsmrmrdWriter::close() {
  // The library closes the file once and, as of 1.8, may or may not free the names with it: it sets them to null if so.
  return dataset_.fileid > 0 ? ISMRMRD::ismrmrd_close_dataset(&dataset_) : ISMRMRD::ISMRMRD_NOERROR;
}

void IsmrmrdWriter::check(int status, const char* action) {
  if (status == ISMRMRD::ISMRMRD_NOERROR && !trap_.failed()) return;
  std::string reason = ISMRMRD::build_exception_string();  // empties the library's list of errors
  if (trap_.failed()) reason = trap_.reason();
  throw IoError(fmt::format("{}: can not {} the ISMRMRD file: is the disk full?{}", path_.string(), action, reason));
}

void IsmrmrdWriter::write_header(const std::string& xml) {
  check(ISMRMRD::ismrmrd_write_header(&dataset_, xml.c_str()), "write the header of");
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Acquisition& acquisition) {
  check(ISMRMRD::ismrmrd_append_acquisition(&dataset_, &acquisition), "write an acquisition to");
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Image& image) {
  check(ISMRMRD::ismrmrd_append_image(&dataset_, image_variable, &image), "write an image to");
}

void IsmrmrdWriter::finish() {
  check(close(), "finish");
  temporary_.commit();
}

}  // namespace whorl::io
