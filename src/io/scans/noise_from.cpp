#include "io/scans/noise_from.hpp"

#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numeric>
#include <utility>

#include "io/format.hpp"
#include "io/ismrmrd/arrays.hpp"
#include "io/ismrmrd/file.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl::io {

namespace {

using Complex = std::complex<float>;

struct Noise {
  Array<Complex> samples;  // [coil, sample]
  double dwell_us = 0;
  std::string what;
};

/// Signal is far above its mean power somewhere; of n samples of noise the largest has about ln n times the mean.
bool is_noise(const Array<Complex>& samples) {
  constexpr double most_above_mean = 100;
  double sum = 0;
  double largest = 0;
  for (const Complex& sample : samples.span()) {
    const auto power = static_cast<double>(std::norm(sample));
    sum += power;
    largest = std::max(largest, power);
  }
  return sum > 0 && largest <= most_above_mean * sum / static_cast<double>(samples.size());
}

/// Readouts of an object have an echo; noise is as strong at each of their samples. `power`: summed over `readouts`, whose coils may
/// differ in gain.
bool has_echo(const std::vector<double>& power, Index readouts) {
  constexpr Index least_readouts = 16;  // their mean at a sample is then 4 times the usual one in 1 of 10^12
  constexpr double most_above_mean = 4;
  const double sum = std::accumulate(power.begin(), power.end(), 0.0);
  return readouts >= least_readouts &&
         *std::max_element(power.begin(), power.end()) * static_cast<double>(power.size()) > most_above_mean * sum;
}

Noise noise_of_acquisitions(const Context& ctx, const std::filesystem::path& path, const std::string& group,
                            Index coils) {
  const IsmrmrdFile file(path, group.empty() ? ScanReadOptions().group : group);
  const std::vector<AcquisitionHead> heads = file.read_heads();
  const auto flagged = [](const AcquisitionHead& head) { return head.flag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT); };
  const bool any = std::any_of(heads.begin(), heads.end(), flagged);
  std::vector<Index> offsets(heads.size(), -1);
  Noise noise;
  Index samples = 0;
  Index count = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if ((any && !flagged(heads[i])) || heads[i].active_channels != coils || heads[i].kept() <= 0) continue;
    offsets[i] = std::exchange(samples, samples + heads[i].kept());
    noise.dwell_us = std::isfinite(heads[i].sample_time_us) ? heads[i].sample_time_us : 0;
    ++count;
  }
  if (samples == 0) {
    throw ShapeError(
        fmt::format("{}: no acquisition in it is noise of {} channels, which the data have", path.string(), coils));
  }
  noise.samples = Array<Complex>(ctx, {coils, samples});
  const auto wanted = [&](Index number) -> AcquisitionParts {
    return {.positions = false, .samples = offsets[static_cast<std::size_t>(number)] >= 0};
  };
  file.read_acquisitions(ctx, heads, wanted, [&](Index number, auto /*positions*/, std::span<const Complex> data) {
    const auto place = static_cast<std::size_t>(number);
    if (offsets[place] < 0) return;
    for (Index coil = 0; coil < coils; ++coil) {
      const auto from = data.begin() + coil * heads[place].number_of_samples + heads[place].discard_pre;
      std::copy_n(from, heads[place].kept(), noise.samples.data() + coil * samples + offsets[place]);
    }
  });
  const Index length = samples / count;
  std::vector<double> power(static_cast<std::size_t>(length));
  for (Index i = 0; !any && i < noise.samples.size(); ++i) {
    power[static_cast<std::size_t>(i % length)] += static_cast<double>(std::norm(noise.samples.data()[i]));
  }
  if (!any && samples % count == 0 && has_echo(power, count)) {
    throw ValueError(
        fmt::format("{}: the {} acquisitions of group {} have an echo and are no noise scan; name the group with the "
                    "noise (FILE:GROUP)",
                    path.string(), count, file.group()));
  }
  noise.what = fmt::format("{} acquisition{}{} of group {}", count, count == 1 ? "" : "s",
                           any ? " flagged as noise" : ", none of which is flagged as noise,", file.group());
  return noise;
}

/// [coil, sample] of an array that has the coils along one axis: the first, or else the only one as long as there are coils.
Noise noise_of_array(const Context& ctx, const std::string& file_and_name, Index coils) {
  NamedArray stored = read_array(ctx, file_and_name);
  const auto values = converted<Complex>(ctx, stored.values, stored.name);
  const Shape& shape = values.shape();
  const auto has_coils = [&](int axis) { return shape[axis] == coils; };
  std::vector<int> axes(static_cast<std::size_t>(shape.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  const bool first = shape.rank() == 0 || has_coils(0) || std::ranges::count_if(axes, has_coils) != 1;
  const int axis = first ? 0 : *std::ranges::find_if(axes, has_coils);
  const Index along = shape.rank() == 0 ? 0 : shape[axis];
  Noise noise{.samples = Array<Complex>(ctx, {along, along == 0 ? 0 : values.size() / along}), .what = "an array"};
  Index step = 1;
  for (int inner = axis + 1; inner < shape.rank(); ++inner) step *= shape[inner];
  for (Index i = 0; i < noise.samples.size(); ++i) {
    const Index coil = i / step % along;
    const Index sample = i / (step * along) * step + i % step;
    noise.samples.data()[coil * noise.samples.extent(1) + sample] = values.data()[i];
  }
  return noise;
}

}  // namespace

void take_noise_from(const Context& ctx, Scan& scan, const std::string& file_and_name) {
  const auto [path, name] = split_name(file_and_name);
  const FileStart file = read_start(path);
  const Format* format = recognize(file);
  const std::string kind = format == nullptr ? "" : std::string(format->name);
  Noise noise;
  if (kind == "ismrmrd") {
    noise = noise_of_acquisitions(ctx, path, name, scan.coils);
  } else if (name.empty() && format != nullptr && format->holds_scan != nullptr && format->holds_scan(file)) {
    Scan other = read_scan(ctx, path);
    noise = {std::move(other.noise), other.noise_dwell_us, "the noise scan"};
  } else {
    noise = noise_of_array(ctx, file_and_name, scan.coils);
  }
  if (noise.samples.size() == 0 || !is_noise(noise.samples)) {
    throw ValueError(fmt::format(
        "{}: it has no noise scan: expected samples without signal, flagged as noise or alone in their group or array",
        file_and_name));
  }
  if (noise.samples.extent(0) != scan.coils) {
    throw ShapeError(fmt::format("{}: its noise is of {} channels, the data have {}", file_and_name,
                                 noise.samples.extent(0), scan.coils));
  }
  scan.notes.emplace_back(fmt::format("The noise scan is {} of '{}': {} samples per channel.", noise.what,
                                      path.string(), noise.samples.extent(1)));
  scan.noise = std::move(noise.samples);
  scan.noise_dwell_us = noise.dwell_us;
}

}  // namespace whorl::io
