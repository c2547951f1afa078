#include "io/ismrmrd/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Complex = std::complex<float>;
using Samples = std::span<const Complex>;

void check_samples(const std::string& source, Index number, const AcquisitionHead& head, Samples data,
                   std::span<const float> trajectory) {
  const auto finite = [](Complex value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); };
  const auto bad = std::find_if_not(data.begin(), data.end(), finite);
  if (bad != data.end()) {
    const Index place = bad - data.begin();
    throw IoError(fmt::format("{}: acquisition {}: sample {} of channel {} is {} + {}i; every sample must be finite",
                              source, number, place % head.number_of_samples, place / head.number_of_samples,
                              bad->real(), bad->imag()));
  }
  const auto bad_position =
      std::find_if_not(trajectory.begin(), trajectory.end(), [](float value) { return std::isfinite(value); });
  if (bad_position != trajectory.end()) {
    const Index place = bad_position - trajectory.begin();
    throw IoError(fmt::format(
        "{}: acquisition {}: trajectory column {} of sample {} is {}; every position must be "
        "finite",
        source, number, place % head.trajectory_dimensions + 1, place / head.trajectory_dimensions, *bad_position));
  }
}

/// Copies the kept samples of an acquisition into [coil, sample] at `offset`.
void place_samples(const AcquisitionHead& head, Samples data, Array<Complex>& to, Index offset) {
  const Index length = to.extent(1);
  for (Index coil = 0; coil < to.extent(0); ++coil) {
    const auto from = data.subspan(static_cast<std::size_t>(coil * head.number_of_samples + head.discard_pre),
                                   static_cast<std::size_t>(head.kept()));
    std::copy(from.begin(), from.end(), to.data() + coil * length + offset);
  }
}

}  // namespace

SampleReader::SampleReader(std::shared_ptr<const AcquisitionSource> file, std::vector<AcquisitionHead> heads,
                           AcquisitionPlan plan, std::string source, Memory memory)
    : file_(std::move(file)),
      heads_(std::move(heads)),
      plan_(std::move(plan)),
      source_(std::move(source)),
      memory_(std::move(memory)) {}

std::vector<Array<Complex>> SampleReader::make_data(const Context& ctx, const std::vector<bool>& with_data) const {
  Index samples = 0;
  for (std::size_t frame = 0; frame < plan_.frames.size(); ++frame) {
    if (with_data[frame]) samples += plan_.frames[frame].samples;
  }
  const Index all_bytes = plan_.coils * samples * static_cast<Index>(sizeof(Complex));
  std::vector<Array<Complex>> data;
  for (std::size_t frame = 0; frame < plan_.frames.size(); ++frame) {
    const Shape shape{plan_.coils, with_data[frame] ? plan_.frames[frame].samples : 0};
    data.push_back(memory_ ? memory_(shape, all_bytes) : Array<Complex>(ctx, shape));
  }
  return data;
}

std::vector<Array<float>> SampleReader::read(const Context& ctx, const std::vector<FrameRead>& parts,
                                             Scan& scan) const {
  const Index columns = plan_.trajectory_dimensions;
  std::vector<bool> with_data;
  for (const FrameRead part : parts) with_data.push_back(part == FrameRead::all);
  std::vector<Array<Complex>> all = make_data(ctx, with_data);
  std::vector<Array<float>> stored;
  for (std::size_t frame = 0; frame < all.size(); ++frame) {
    scan.frames[frame].data = std::move(all[frame]);
    const bool placed = parts[frame] != FrameRead::nothing;
    stored.emplace_back(ctx, Shape{placed ? plan_.frames[frame].samples * columns : 0});
  }
  if (plan_.noise_samples > 0) scan.noise = Array<Complex>(ctx, {plan_.coils, plan_.noise_samples});
  const auto wanted = [&](Index number) -> AcquisitionParts {
    const Destination& to = plan_.destinations[static_cast<std::size_t>(number)];
    if (to.kind != Destination::Kind::frame) return {.positions = true, .samples = to.kind == Destination::Kind::noise};
    return {.positions = parts[to.frame] != FrameRead::nothing, .samples = with_data[to.frame]};
  };
  file_->read_acquisitions(ctx, heads_, wanted, [&](Index number, std::span<const float> trajectory, Samples data) {
    const AcquisitionHead& head = heads_[static_cast<std::size_t>(number)];
    const Destination& to = plan_.destinations[static_cast<std::size_t>(number)];
    if (to.kind == Destination::Kind::skipped) return;
    check_samples(source_, number, head, data, trajectory);
    if (to.kind == Destination::Kind::noise) {
      place_samples(head, data, scan.noise, to.offset);
      return;
    }
    if (parts[to.frame] == FrameRead::nothing) return;
    if (with_data[to.frame]) place_samples(head, data, scan.frames[to.frame].data, to.offset);
    const auto kept = trajectory.subspan(static_cast<std::size_t>(head.discard_pre * columns),
                                         static_cast<std::size_t>(head.kept() * columns));
    std::copy(kept.begin(), kept.end(), stored[to.frame].data() + to.offset * columns);
  });
  return stored;
}

std::vector<Array<Complex>> SampleReader::read_data(const Context& ctx, std::span<const Index> frames) const {
  std::vector<bool> with_data(plan_.frames.size(), false);
  for (const Index frame : frames) with_data[static_cast<std::size_t>(frame)] = true;
  std::vector<Array<Complex>> all = make_data(ctx, with_data);
  const auto belongs = [&](Index number) {
    const Destination& to = plan_.destinations[static_cast<std::size_t>(number)];
    return to.kind == Destination::Kind::frame && with_data[to.frame];
  };
  const auto wanted = [&](Index number) -> AcquisitionParts {
    return {.positions = false, .samples = belongs(number)};
  };
  file_->read_acquisitions(ctx, heads_, wanted, [&](Index number, std::span<const float> /*trajectory*/, Samples data) {
    if (!belongs(number)) return;
    const AcquisitionHead& head = heads_[static_cast<std::size_t>(number)];
    const Destination& to = plan_.destinations[static_cast<std::size_t>(number)];
    check_samples(source_, number, head, data, {});
    place_samples(head, data, all[to.frame], to.offset);
  });
  std::vector<Array<Complex>> some;
  for (const Index frame : frames) some.push_back(std::move(all[static_cast<std::size_t>(frame)]));
  return some;
}

}  // namespace whorl::io
