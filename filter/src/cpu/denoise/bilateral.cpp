#include "filter/src/kernels/denoise/bilateral.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/denoise/bilateral_rows.hpp"
#include "filter/src/cpu/image_parts.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// With a radius of 6 pixels three channels take 250 KiB, and the rows of a window take 43.
constexpr Index tile_height = 64;
constexpr Index tile_width = 256;

constexpr Index room_for(Index count) { return round_up(count, bilateral_room); }

// The scratch of a thread.
template <class T>
class Tile {
 public:
  Tile(const ImageFormat& format, const kernels::BilateralPlan& plan, kernels::Edge<T> edge)
      : format_(format),
        plan_(plan),
        edge_(edge),
        channels_(count_of(format.channels)),
        reach_(plan.radius),
        stride_(room_for(tile_width) + 2 * reach_ + bilateral_room),
        plane_((tile_height + 2 * reach_) * stride_),
        padded_(static_cast<std::size_t>(channels_ * plane_)),
        means_(static_cast<std::size_t>(channels_ * room_for(tile_width))) {
    for (int dy = -plan.radius; dy <= plan.radius; ++dy) {
      const int reach = kernels::disc_reach(plan.radius, dy);
      for (int dx = -reach; dx <= reach; ++dx) {
        taps_.push_back({dy * stride_ + dx, kernels::place_exponent(plan, dx) + kernels::place_exponent(plan, dy)});
      }
    }
  }

  void run(const Context& ctx, const ImagePart& part, const T* from, T* to) {
    const Index slice = part.slice * format_.height * format_.row();
    for (Index y = 0; y < part.height() + 2 * reach_; ++y) {
      load_row(from + slice, part.top - reach_ + y, part, padded_.data() + y * stride_);
    }
    BilateralRow row{&plan_, taps_.data(), static_cast<Index>(taps_.size()), part.width(), nullptr, plane_};
    const int colors = channels_ - (has_alpha(format_.channels) ? 1 : 0);
    for (Index y = 0; y < part.height() && !ctx.cancel_requested(); ++y) {
      row.middle = padded_.data() + (y + reach_) * stride_ + reach_;
      bilateral_row(row, colors, channels_, means_.data(), room_for(tile_width));
      join_row(means_.data(), room_for(tile_width), part.width(), channels_,
               to + slice + (part.top + y) * format_.row() + part.left * channels_);
    }
  }

 private:
  void load_row(const T* slice, Index y, const ImagePart& part, float* to) {
    const Index source_y = border_index(edge_.border, y, format_.height);
    const T* row = slice + source_y * format_.row();
    const Index first = part.left - reach_;
    const Index count = part.width() + 2 * reach_;
    const Index inside = source_y < 0 ? count : std::clamp<Index>(-first, 0, count);
    const Index behind = source_y < 0 ? count : std::clamp<Index>(format_.width - first, inside, count);
    const auto load_beyond = [&](Index begin, Index end) {
      for (Index x = begin; x < end; ++x) {
        const Index source = source_y < 0 ? -1 : border_index(edge_.border, first + x, format_.width);
        for (Index c = 0; c < channels_; ++c) {
          to[c * plane_ + x] = static_cast<float>(source < 0 ? edge_.value : row[source * channels_ + c]);
        }
      }
    };
    load_beyond(0, inside);
    if (behind > inside) split_row(row + (first + inside) * channels_, behind - inside, channels_, to + inside, plane_);
    load_beyond(behind, count);
  }

  const ImageFormat& format_;
  const kernels::BilateralPlan& plan_;
  kernels::Edge<T> edge_;
  int channels_;
  Index reach_, stride_, plane_;
  std::vector<float> padded_, means_;
  std::vector<BilateralTap> taps_;
};

template <class T>
void bilateral(const Context& ctx, const ImageFormat& format, const kernels::BilateralPlan& plan, kernels::Edge<T> edge,
               const T* from, T* to) {
  const ImageParts parts{format.slices(), format.height, format.width, tile_height, tile_width};
  detail::parallel_threads(ctx, ctx.threads(), parts.count(), [&](const auto& turns) {
    Tile<T> tile(format, plan, edge);
    turns([&](Index i) { tile.run(ctx, parts.part(i), from, to); });
  });
}

}  // namespace

void register_bilateral() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::bilateral<T>.set(DeviceKind::cpu, bilateral<T>);
  });
}

}  // namespace whorl::backend::cpu
