#include "serve/received_acquisitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve {

namespace {

class ReceivedSource final : public io::AcquisitionSource {
 public:
  explicit ReceivedSource(AcquisitionList acquisitions) : acquisitions_(std::move(acquisitions)) {}

  void read_acquisitions(const Context& ctx, const std::vector<io::AcquisitionHead>& /*heads*/, const Wanted& wanted,
                         const Visit& visit) const override {
    detail::parallel_for(ctx, "read", 0, std::ssize(acquisitions_), [&](Index number) {
      if (!wanted(number).any()) return;
      const Acquisition& acquisition = *acquisitions_[static_cast<std::size_t>(number)];
      visit(number, acquisition.trajectory, acquisition.samples);
    });
  }

 private:
  AcquisitionList acquisitions_;
};

template <std::size_t N>
std::array<float, N> array_of(const float (&values)[N]) {
  std::array<float, N> made{};
  std::copy(std::begin(values), std::end(values), made.begin());
  return made;
}

}  // namespace

io::AcquisitionHead head_of(const Acquisition& acquisition) {
  const ISMRMRD::ISMRMRD_AcquisitionHeader& from = acquisition.head;
  const ISMRMRD::ISMRMRD_EncodingCounters& idx = from.idx;
  io::AcquisitionHead head;
  head.flags = from.flags;
  head.number_of_samples = from.number_of_samples;
  head.active_channels = from.active_channels;
  head.discard_pre = from.discard_pre;
  head.discard_post = from.discard_post;
  head.center_sample = from.center_sample;
  head.encoding_space_ref = from.encoding_space_ref;
  head.trajectory_dimensions = from.trajectory_dimensions;
  head.sample_time_us = from.sample_time_us;
  head.position = array_of(from.position);
  head.read_dir = array_of(from.read_dir);
  head.phase_dir = array_of(from.phase_dir);
  head.slice_dir = array_of(from.slice_dir);
  head.idx = {idx.kspace_encode_step_1,
              idx.kspace_encode_step_2,
              idx.average,
              idx.slice,
              idx.contrast,
              idx.phase,
              idx.repetition,
              idx.set,
              idx.segment};
  return head;
}

std::vector<io::AcquisitionHead> heads_of(const AcquisitionList& acquisitions) {
  std::vector<io::AcquisitionHead> heads;
  heads.reserve(acquisitions.size());
  for (const auto& acquisition : acquisitions) heads.push_back(head_of(*acquisition));
  return heads;
}

io::Measurement measurement_of(std::string name, std::string header, AcquisitionList acquisitions) {
  std::vector<io::AcquisitionHead> heads = heads_of(acquisitions);
  return {std::move(name), std::move(header), std::move(heads),
          std::make_shared<const ReceivedSource>(std::move(acquisitions))};
}

void check_acquisition(const Acquisition& acquisition, std::size_t number) {
  const io::AcquisitionHead head = head_of(acquisition);
  if (head.kept() < 0) {
    throw IoError(fmt::format("acquisition {} discards {} + {} of its {} samples", number, head.discard_pre,
                              head.discard_post, head.number_of_samples));
  }
  const auto finite = [](std::complex<float> value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  };
  const auto bad = std::find_if_not(acquisition.samples.begin(), acquisition.samples.end(), finite);
  if (bad != acquisition.samples.end()) {
    const Index place = bad - acquisition.samples.begin();
    throw IoError(fmt::format("acquisition {}: sample {} of channel {} is {} + {}i; every sample must be finite",
                              number, place % head.number_of_samples, place / head.number_of_samples, bad->real(),
                              bad->imag()));
  }
  const auto position = std::find_if_not(acquisition.trajectory.begin(), acquisition.trajectory.end(),
                                         [](float value) { return std::isfinite(value); });
  if (position != acquisition.trajectory.end()) {
    const Index place = position - acquisition.trajectory.begin();
    throw IoError(fmt::format("acquisition {}: trajectory column {} of sample {} is {}; every position must be finite",
                              number, place % head.trajectory_dimensions + 1, place / head.trajectory_dimensions,
                              *position));
  }
}

}  // namespace whorl::serve
