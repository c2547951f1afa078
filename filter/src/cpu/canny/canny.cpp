// Edges on a CPU. thin_edges (canny_hwy.cpp) finds the thin lines of a band of rows in one pass, from the load to the
// comparison with neighbors. grow_seeds (components.cpp) connects them, and paint turns bits into pixels. There is one
// kernel per type of pixel, for all channels and radii.
#include "filter/src/kernels/canny/canny.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"
#include "filter/src/cpu/canny/canny_rows.hpp"
#include "filter/src/cpu/canny/components.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// Rows of a band: enough that the rows around it, which are computed twice, are little work.
constexpr Index band_rows = 128;

template <class T>
void paint(const std::uint32_t* edges, Index width, T* to) {
  const T full = static_cast<T>(std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max());
  constexpr Index bits = kernels::BitMasks::word_bits;
  for (Index word = 0; word * bits < width; ++word, to += bits) {
    const std::uint32_t here = edges[word];
    const Index count = std::min(bits, width - word * bits);
    if (here == 0) {
      std::fill_n(to, count, T{});
      continue;
    }
    for (Index i = 0; i < count; ++i) to[i] = ((here >> i) & 1U) != 0 ? full : T{};
  }
}

template <class T>
void canny(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan,
           const kernels::PointCode* load, const void* from, T* to) {
  const kernels::BitMasks masks{format.slices(), format.height, format.width};
  Array<std::uint32_t> mask(ctx, {masks.words()});
  Array<std::uint32_t> edges(ctx, {masks.words()});
  const Index slice_words = format.height * masks.words_per_row();
  const auto slice_bytes =
      static_cast<Index>(load != nullptr ? bytes_of(load->from) : sizeof(T)) * format.height * format.row();
  const int channels = load != nullptr ? load->channels_to : count_of(format.channels);
  const Index bands = divide_up(format.height, band_rows);
  detail::parallel_for(ctx, "canny", 0, format.slices() * bands, [&](Index at) {
    const Index slice = at / bands;
    const Index first = at % bands * band_rows;
    const CannyRows rows{
        plan, load, format.height, format.width, channels, first, std::min(first + band_rows, format.height)};
    thin_edges<T>(rows, static_cast<const std::byte*>(from) + slice * slice_bytes, mask.data() + slice * slice_words,
                  edges.data() + slice * slice_words);
  });
  grow_seeds(ctx, masks, mask.data(), edges.data());
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index row = 0; row < format.slices() * format.height; ++row) {
    if (ctx.cancel_requested()) continue;
    paint(edges.data() + row * masks.words_per_row(), format.width, to + row * format.width);
  }
}

}  // namespace

void register_canny() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::canny<T>.set(DeviceKind::cpu, canny<T>);
  });
}

}  // namespace whorl::backend::cpu
