// Gray world on a CPU. All versions first sum the channels in the same way; they differ in the work per pixel.
#include <algorithm>

#include "studies/image_filters/gray_world.hpp"

namespace whorl::studies::image_filters {

ChannelSums channel_sums(const Context& host, const Job& job) {
  std::uint64_t red = 0;
  std::uint64_t green = 0;
  std::uint64_t blue = 0;
  const Index pixels = pixels_of(job);
#pragma omp parallel for schedule(static) num_threads(host.threads()) reduction(+ : red, green, blue)
  for (Index i = 0; i < pixels; ++i) {
    red += job.from[3 * i];
    green += job.from[3 * i + 1];
    blue += job.from[3 * i + 2];
  }
  return {red, green, blue};
}

namespace {

template <class Real>
struct Means {
  Real channel[3];
  Real all;
};

template <class Real>
Means<Real> means_of(const Context& ctx, const Job& job) {
  const ChannelSums sums = channel_sums(ctx, job);
  const auto pixels = static_cast<double>(pixels_of(job));
  Means<Real> means{};
  double all = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double mean = static_cast<double>(sums[c]) / pixels;
    means.channel[c] = static_cast<Real>(mean);
    all += mean / 3;
  }
  means.all = static_cast<Real>(all);
  return means;
}

// step: double, computed for the test and again; float
// As the report began: the value is computed for the test against 255 and once more to be stored, from memory each
// time, since what is stored might change the picture for all that the compiler knows.
template <class Real>
void computed_twice(const Context& ctx, const Job& job) {
  const Means<Real> means = means_of<Real>(ctx, job);
  const auto dark = static_cast<Real>(dark_mean);
  const Index pixels = pixels_of(job);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < pixels; ++i) {
    for (Index c = 0; c < 3; ++c) {
      const Byte* const from = job.from + 3 * i + c;
      Byte* const to = job.to + 3 * i + c;
      if (means.channel[c] > dark) {
        *to = 255 < *from * means.all / means.channel[c] ? Byte{255}
                                                         : static_cast<Byte>(*from * means.all / means.channel[c]);
      } else {
        *to = 255 < *from + means.all ? Byte{255} : static_cast<Byte>(*from + means.all);
      }
    }
  }
}
// end of step

// step: read and computed once
// The pixel is read once, and its new value computed once, for the comparison and the store.
void read_once(const Context& ctx, const Job& job) {
  const Means<float> means = means_of<float>(ctx, job);
  const auto dark = static_cast<float>(dark_mean);
  const Index pixels = pixels_of(job);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < pixels; ++i) {
    const float pixel[3] = {static_cast<float>(job.from[3 * i]), static_cast<float>(job.from[3 * i + 1]),
                            static_cast<float>(job.from[3 * i + 2])};
    float value[3];
    for (Index c = 0; c < 3; ++c) {
      value[c] = means.channel[c] > dark ? pixel[c] * means.all / means.channel[c] : pixel[c] + means.all;
    }
    for (Index c = 0; c < 3; ++c) job.to[3 * i + c] = static_cast<Byte>(std::min(value[c], 255.0F));
  }
}
// end of step

// step: a table of levels
// A channel has 256 levels: their new values are computed once, exactly, and looked up.
void by_table(const Context& ctx, const Job& job) {
  const ChannelSums sums = channel_sums(ctx, job);
  const auto pixels = static_cast<std::uint64_t>(pixels_of(job));
  std::array<std::array<Byte, 256>, 3> level{};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t v = 0; v < level[c].size(); ++v) {
      level[c][v] = balanced_level(v, sums[c], sums[0] + sums[1] + sums[2], pixels);
    }
  }
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < pixels_of(job); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Index at = 3 * i + static_cast<Index>(c);
      job.to[at] = level[c][job.from[at]];
    }
  }
}
// end of step

}  // namespace

std::vector<Step> gray_world_on_host() {
  return {{"double, computed for the test and again", computed_twice<double>},
          {"float", computed_twice<float>, said("gains everywhere")},
          {"read and computed once", read_once, said("minimal")},
          {"a table of levels", by_table, said("not tried")}};
}

}  // namespace whorl::studies::image_filters
