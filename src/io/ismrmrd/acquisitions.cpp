// Heads and samples of the acquisitions of an ISMRMRD file.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ranges>

#include "core/parallel.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/raw.hpp"
#include "io/ismrmrd/types.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

// Heads from records that lie in memory as in the file. False where the conversion fails.
bool convert_heads(const std::byte* first_head, std::size_t record_size, hid_t file_type, hid_t type, hid_t transfer,
                   std::vector<AcquisitionHead>& heads) {
  const std::size_t stored = H5Tget_size(file_type);
  // HDF5 converts in place.
  std::vector<std::byte> buffer(heads.size() * std::max(stored, sizeof(AcquisitionHead)));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    std::memcpy(buffer.data() + i * stored, first_head + i * record_size, stored);
  }
  std::vector<std::byte> background(heads.size() * sizeof(AcquisitionHead));
  if (H5Tconvert(file_type, type, heads.size(), buffer.data(), background.data(), transfer) < 0) return false;
  std::memcpy(static_cast<void*>(heads.data()), buffer.data(), heads.size() * sizeof(AcquisitionHead));
  return true;
}

}  // namespace

std::vector<AcquisitionHead> IsmrmrdFile::read_heads() const {
  std::vector<AcquisitionHead> heads(static_cast<std::size_t>(count_));
  const Hdf5Handle type = acquisition_head_type();
  const Hdf5ExactTransfer transfer;
  bool done = false;
  if (raw_) {
    const Hdf5Handle wanted(H5Tget_member_type(type.get(), 0), &H5Tclose);
    const int place = H5Tget_member_index(table_type_.get(), "head");
    const Hdf5Handle stored(H5Tget_member_type(table_type_.get(), static_cast<unsigned>(place)), &H5Tclose);
    done = convert_heads(raw_->records.data() + raw_->head_offset, raw_->size, stored.get(), wanted.get(),
                         transfer.get(), heads);
  } else {
    done = H5Dread(table_.get(), type.get(), H5S_ALL, H5S_ALL, transfer.get(), heads.data()) >= 0;
  }
  if (!done) {
    if (transfer.failed()) {
      throw IoError(
          fmt::format("{}: the acquisition headers have a count or counter outside 0 to 65535, which ISMRMRD's "
                      "types hold",
                      path_.string()));
    }
    fail("the acquisition headers can not be read");
  }
  // Samples are never compressed, so their number in the heads must fit into the file.
  double promised = 0;
  for (const AcquisitionHead& head : heads) {
    promised +=
        8.0 * head.number_of_samples * head.active_channels + 4.0 * head.number_of_samples * head.trajectory_dimensions;
  }
  if (promised > static_cast<double>(file_size_)) {
    fail(
        fmt::format("the acquisition headers promise {:.0f} bytes of samples, the file has {}: it is truncated or "
                    "damaged",
                    promised, file_size_));
  }
  return heads;
}

void IsmrmrdFile::read_acquisitions(const Context& ctx, const std::vector<AcquisitionHead>& heads, const Wanted& wanted,
                                    const Visit& visit) const {
  constexpr Index block = 256;
  ProgressStage stage(ctx, "read", count_);
  for (Index first = 0; first < count_; first += block) {
    const Index many = std::min(block, count_ - first);
    raw_ ? read_raw(ctx, first, many, heads, wanted, visit) : read_by_hdf5(ctx, first, many, heads, wanted, visit);
    stage.advance(many);
  }
}

void IsmrmrdFile::check_lengths(Index number, const AcquisitionHead& head, std::uint64_t samples,
                                std::uint64_t positions) const {
  if (samples != std::uint64_t{head.number_of_samples} * head.active_channels) {
    fail(fmt::format("acquisition {}: its header says {} samples x {} channels, but {} complex samples are stored",
                     number, head.number_of_samples, head.active_channels, samples));
  }
  if (positions != std::uint64_t{head.number_of_samples} * head.trajectory_dimensions) {
    fail(fmt::format("acquisition {}: its header says {} samples x {} trajectory columns, but {} numbers are stored",
                     number, head.number_of_samples, head.trajectory_dimensions, positions));
  }
}

void IsmrmrdFile::read_raw(const Context& ctx, Index first, Index count, const std::vector<AcquisitionHead>& heads,
                           const Wanted& wanted, const Visit& visit) const {
  detail::parallel_for(ctx, "read", first, first + count, [&](Index number) {
    const AcquisitionParts parts = wanted(number);
    if (!parts.any()) return;
    const HeapReference positions = raw_->trajectory(number);
    const HeapReference samples = raw_->samples(number);
    check_lengths(number, heads[static_cast<std::size_t>(number)], samples.count * raw_->floats_per_element / 2,
                  positions.count);
    std::vector<float> trajectory(parts.positions ? positions.count : 0);
    std::vector<std::complex<float>> data(parts.samples ? samples.count * raw_->floats_per_element / 2 : 0);
    // HDF5 1.10 is not asked instead: it crashes on damaged heaps.
    if (!raw_->heap.read(positions, trajectory.size() * sizeof(float), trajectory.data()) ||
        !raw_->heap.read(samples, data.size() * sizeof(std::complex<float>), data.data())) {
      fail(fmt::format("acquisition {}: its samples are not where the table says: the file is damaged or truncated",
                       number));
    }
    visit(number, trajectory, data);
  });
}

void IsmrmrdFile::read_by_hdf5(const Context& ctx, Index first, Index count, const std::vector<AcquisitionHead>& heads,
                               const Wanted& wanted, const Visit& visit) const {
  const auto numbers = std::views::iota(first, first + count);
  if (std::ranges::none_of(numbers, [&](Index number) { return wanted(number).any(); })) return;
  const Hdf5Handle type = acquisition_samples_type(table_type_.get());
  const std::uint64_t floats_per_sample = samples_are_floats(table_type_.get()) ? 2 : 1;
  const VariableLengthGuard guard(file_size_);
  const std::vector<AcquisitionSamples> acquisitions = guard.read(table_.get(), type.get(), first, count);
  if (acquisitions.empty()) fail(fmt::format("acquisitions {} to {} can not be read", first, first + count - 1));
  const VariableLengthRelease release(acquisitions);
  detail::parallel_for(ctx, "read", 0, count, [&](Index i) {
    const AcquisitionSamples& stored = acquisitions[static_cast<std::size_t>(i)];
    const std::uint64_t samples = stored.data.len / floats_per_sample;
    check_lengths(first + i, heads[static_cast<std::size_t>(first + i)], samples, stored.traj.len);
    visit(first + i, {static_cast<const float*>(stored.traj.p), stored.traj.len},
          {static_cast<const std::complex<float>*>(stored.data.p), samples});
  });
}

}  // namespace whorl::io
