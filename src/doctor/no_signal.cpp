// Scans, and frames of them, in which nothing was measured.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "doctor/check.hpp"

namespace whorl::doctor {

namespace {

constexpr const char* remedy = "none: the samples are not in the file; write it anew from what was measured";

bool all_are(std::complex<float> value, std::span<const std::complex<float>> samples) {
  return std::ranges::all_of(samples, [&](std::complex<float> sample) { return sample == value; });
}

}  // namespace

bool is_constant(const Scan& scan, Index coil) {
  const std::complex<float> first = scan.frames.front().data.slice(coil).data()[0];
  return std::ranges::all_of(scan.frames,
                             [&](const ScanFrame& frame) { return all_are(first, frame.data.slice(coil).span()); });
}

std::optional<Finding> find_no_signal(const Scan& scan) {
  bool zeros = true;
  for (Index coil = 0; coil < scan.coils; ++coil) {
    if (!is_constant(scan, coil)) return std::nullopt;
    zeros = zeros && scan.frames.front().data.slice(coil).data()[0] == std::complex<float>(0);
  }
  return Finding{.check = "no signal",
                 .what = zeros ? "every sample of every coil is 0"
                               : "all samples of a coil have one value, in every coil, as no object gives them",
                 .value = static_cast<double>(scan.coils),
                 .unit = "coils",
                 .confidence = 1,
                 .remedy = remedy};
}

Findings find_empty_frames(const Context& /*ctx*/, Examination& examination) {
  const auto& frames = examination.scan().frames;
  std::vector<std::size_t> empty;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].data.size() > 0 && all_are(0, frames[i].data.span())) empty.push_back(i);
  }
  if (empty.empty()) return {};
  constexpr std::size_t most_named = 10;
  const bool many = empty.size() > most_named;
  return {{.check = "empty frames",
           .what = fmt::format("every sample is 0 in {} of {} frames: {}{}", empty.size(), frames.size(),
                               fmt::join(std::span(empty).first(std::min(empty.size(), most_named)), ", "),
                               many ? ", ..." : ""),
           .value = static_cast<double>(empty.size()),
           .unit = "frames",
           .confidence = 1,
           .remedy = remedy}};
}

}  // namespace whorl::doctor
