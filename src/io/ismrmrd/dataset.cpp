#include "io/ismrmrd/dataset.hpp"

#include <cstring>

#include "io/ismrmrd/types.hpp"

namespace whorl::io {

namespace {

constexpr const char* image_variable = "image_0";
constexpr std::size_t block = 128;  // acquisitions

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
  if (written_ == 0) {
    file_.check(ISMRMRD::ismrmrd_append_acquisition(&dataset_, &acquisition) == ISMRMRD::ISMRMRD_NOERROR);
    written_ = 1;
    open_table();
    return;
  }
  const ISMRMRD::ISMRMRD_AcquisitionHeader& head = acquisition.head;
  const std::size_t samples = head.number_of_samples;
  waiting_.push_back({head,
                      {acquisition.traj, acquisition.traj + samples * head.trajectory_dimensions},
                      {acquisition.data, acquisition.data + samples * head.active_channels}});
  if (waiting_.size() == block) write_waiting();
}

void IsmrmrdWriter::open_table() {
  table_ = Hdf5Handle(H5Dopen2(file_.id(), (group_ + "/data").c_str(), H5P_DEFAULT), &H5Dclose);
  file_.check(table_.valid());
  record_type_ = Hdf5Handle(H5Dget_type(table_.get()), &H5Tclose);
}

void IsmrmrdWriter::write_waiting() {
  if (waiting_.empty()) return;
  const auto member = [&](const char* name) {
    return static_cast<unsigned>(H5Tget_member_index(record_type_.get(), name));
  };
  const auto offset = [&](const char* name) { return H5Tget_member_offset(record_type_.get(), member(name)); };
  const Hdf5Handle head_type(H5Tget_member_type(record_type_.get(), member("head")), &H5Tclose);
  // In memory the type of the table is the library's structure.
  file_.check(H5Tget_size(head_type.get()) == sizeof(ISMRMRD::ISMRMRD_AcquisitionHeader));
  const std::size_t size = H5Tget_size(record_type_.get());
  const std::size_t numbers_per_sample = samples_are_floats(record_type_.get()) ? 2 : 1;
  std::vector<std::byte> records(waiting_.size() * size);
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Waiting& acquisition = waiting_[i];
    std::byte* record = records.data() + i * size;
    const hvl_t trajectory{acquisition.trajectory.size(), acquisition.trajectory.data()};
    const hvl_t samples{numbers_per_sample * acquisition.samples.size(), acquisition.samples.data()};
    std::memcpy(record + offset("head"), &acquisition.head, sizeof acquisition.head);
    std::memcpy(record + offset("traj"), &trajectory, sizeof trajectory);
    std::memcpy(record + offset("data"), &samples, sizeof samples);
  }
  const hsize_t count = waiting_.size();
  const hsize_t total = written_ + count;
  file_.check(H5Dset_extent(table_.get(), &total) >= 0);
  const Hdf5Handle space(H5Dget_space(table_.get()), &H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(1, &count, nullptr), &H5Sclose);
  file_.check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &written_, nullptr, &count, nullptr) >= 0);
  file_.check(H5Dwrite(table_.get(), record_type_.get(), memory.get(), space.get(), H5P_DEFAULT, records.data()) >= 0);
  written_ = total;
  waiting_.clear();
}

void IsmrmrdWriter::finish(const Context& ctx) {
  write_waiting();
  table_ = Hdf5Handle();
  file_.finish(ctx);
}

void IsmrmrdWriter::append(const ISMRMRD::ISMRMRD_Image& image) {
  file_.check(ISMRMRD::ismrmrd_append_image(&dataset_, image_variable, &image) == ISMRMRD::ISMRMRD_NOERROR);
}

void IsmrmrdWriter::append(const std::string& name, const ISMRMRD::ISMRMRD_NDArray& array) {
  file_.check(ISMRMRD::ismrmrd_append_array(&dataset_, name.c_str(), &array) == ISMRMRD::ISMRMRD_NOERROR);
}

}  // namespace whorl::io
