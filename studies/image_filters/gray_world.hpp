// Gray world: v -> v S / S_channel, S the mean of the three channels' sums; truncated.
#pragma once

#include <array>
#include <vector>

#include "studies/image_filters/job.hpp"

namespace whorl::studies::image_filters {

/// Channels whose mean is darker get the mean of all added in place of a factor.
inline constexpr double dark_mean = 0.05;

using ChannelSums = std::array<std::uint64_t, 3>;

/// The level that v becomes, exactly.
constexpr Byte balanced_level(std::uint64_t v, std::uint64_t own, std::uint64_t all_three, std::uint64_t pixels) {
  const bool dark = static_cast<double>(own) < dark_mean * static_cast<double>(pixels);
  const std::uint64_t level = dark ? v + all_three / (3 * pixels) : v * all_three / (3 * own);
  return static_cast<Byte>(level < 255 ? level : 255);
}

ChannelSums channel_sums(const Context& host, const Job& job);

std::vector<Step> gray_world_on_host();
std::vector<Step> gray_world_on_gpu();

}  // namespace whorl::studies::image_filters
