#include "filter/src/kernels/denoise/non_local_means.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/denoise/non_local_tile.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// With a search of 10 pixels, a tile of three channels and its surroundings take 200 KiB.
constexpr Index rows_of_tile = 32;
constexpr Index columns_of_tile = 128;

// The scratch of a thread.
class Tiles {
 public:
  Tiles(const ImageFormat& format, const kernels::NonLocalMeans& job)
      : format_(format),
        job_(job),
        reach_(job.search + job.patch),
        squares_(static_cast<std::size_t>(columns_of_tile + 2 * (job.patch + vector_room))),
        sums_(static_cast<std::size_t>((rows_of_tile + 2 * job.patch) * columns_of_tile)),
        weights_(static_cast<std::size_t>(rows_of_tile * columns_of_tile)),
        means_(weights_.size() * static_cast<std::size_t>(count_of(format.channels))),
        padded_(static_cast<std::size_t>((rows_of_tile + 2 * reach_) * (columns_of_tile + 2 * reach_) *
                                             count_of(format.channels) +
                                         2 * vector_room)),
        columns_(static_cast<std::size_t>(columns_of_tile + 2 * reach_)) {}

  void run(const Context& ctx, float scale, float bias, const float* from, float* to, Index top, Index left) {
    NonLocalTile tile;
    tile.height = std::min(rows_of_tile, format_.height - top);
    tile.width = std::min(columns_of_tile, format_.width - left);
    tile.row = round_up(tile.width, vector_room);
    tile.channels = count_of(format_.channels);
    tile.stride = tile.width + 2 * reach_;
    tile.padded = padded_.data();
    tile.squares = squares_.data();
    tile.sums = sums_.data();
    tile.weights = weights_.data();
    tile.means = means_.data();
    load(tile, from, top, left);
    non_local_tile(ctx, job_, scale, bias, tile);
    for (Index y = 0; y < tile.height; ++y) {
      float* row = to + (top + y) * format_.row() + left * tile.channels;
      for (Index i = 0; i < tile.width * tile.channels; ++i) {
        row[i] =
            means_[static_cast<std::size_t>(((i % tile.channels) * tile.height + y) * tile.row + i / tile.channels)];
      }
    }
  }

 private:
  void load(const NonLocalTile& tile, const float* from, Index top, Index left) {
    for (Index x = 0; x < tile.stride; ++x) {
      columns_[static_cast<std::size_t>(x)] = border_index(job_.border, left + x - reach_, format_.width);
    }
    float* to = padded_.data();
    for (int c = 0; c < tile.channels; ++c) {
      for (Index y = 0; y < tile.height + 2 * reach_; ++y) {
        const Index row = border_index(job_.border, top + y - reach_, format_.height);
        for (Index x = 0; x < tile.stride; ++x) {
          const Index column = columns_[static_cast<std::size_t>(x)];
          *to++ = row < 0 || column < 0 ? job_.border_value : from[row * format_.row() + column * tile.channels + c];
        }
      }
    }
  }

  const ImageFormat& format_;
  const kernels::NonLocalMeans& job_;
  Index reach_;
  std::vector<float> squares_, sums_, weights_, means_, padded_;
  std::vector<Index> columns_;
};

void non_local_means(const Context& ctx, const ImageFormat& format, const kernels::NonLocalMeans& job,
                     const float* sigma, const float* from, float* to) {
  const float scale = kernels::weight_scale(job, *sigma, count_of(format.channels));
  const float bias = kernels::rician_bias(*sigma);
  const Index down = divide_up(format.height, rows_of_tile);
  const Index across = divide_up(format.width, columns_of_tile);
  const Index plane = format.height * format.row();
  detail::parallel_threads(ctx, ctx.threads(), format.slices() * down * across, [&](const auto& turns) {
    Tiles tiles(format, job);
    turns([&](Index at) {
      const Index slice = at / (down * across) * plane;
      tiles.run(ctx, scale, bias, from + slice, to + slice, at / across % down * rows_of_tile,
                at % across * columns_of_tile);
    });
  });
}

void noise_sigma(const Context& ctx, const ImageFormat& format, const float* image, float* sigma) {
  std::vector<std::int64_t> bins(kernels::noise_bins);
  const Index channels = count_of(format.channels);
  const Index row = format.row();
  for (Index line = 0; line < format.slices() * (format.height / 2) && !ctx.cancel_requested(); ++line) {
    const Index half = format.height / 2;
    const float* from = image + (line / half * format.height + line % half * 2) * row;
    for (Index i = 0; i < format.width / 2 * channels; ++i) {
      const float* at = from + i / channels * 2 * channels + i % channels;
      ++bins[static_cast<std::size_t>(kernels::noise_bin(at[0], at[channels], at[row], at[row + channels]))];
    }
  }
  const std::int64_t all = format.slices() * (format.height / 2) * (format.width / 2) * channels;
  std::int64_t below = 0;
  std::int32_t bin = 0;
  while (bin + 1 < kernels::noise_bins && 2 * (below + bins[static_cast<std::size_t>(bin)]) < all) {
    below += bins[static_cast<std::size_t>(bin++)];
  }
  *sigma = kernels::sigma_of_bin(bin);
}

}  // namespace

void register_non_local_means() {
  kernels::noise_sigma.set(DeviceKind::cpu, noise_sigma);
  kernels::non_local_means.set(DeviceKind::cpu, non_local_means);
}

}  // namespace whorl::backend::cpu
