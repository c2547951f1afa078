#include "filter/src/cpu/windows/byte_stencil.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Stencil;

constexpr Index band_rows = 16;
// A result larger than this has left the caches when it is read again.
constexpr std::size_t cache_bytes = 16 << 20;
constexpr std::int32_t longest_word = std::numeric_limits<std::int16_t>::max();
constexpr std::int32_t largest_byte = std::numeric_limits<std::uint8_t>::max();

// Whether both last steps agree for sums of up to `reach` in magnitude. Both grow with the sum, so it suffices that
// they agree at the ends and on both sides of each step.
bool agree(const ByteFinish& finish, double scale, double offset, std::int32_t reach) {
  const auto wanted = [&](std::int32_t sum) {
    return static_cast<std::int32_t>(std::clamp(std::floor(sum * scale + offset), 0.0, double{largest_byte}));
  };
  const std::int32_t least = finish.absolute ? 0 : -reach;
  const auto agrees = [&](std::int32_t sum) { return finished_byte(sum, finish) == wanted(sum); };
  for (std::int32_t level = 1; level <= largest_byte; ++level) {
    const double about =
        std::clamp(std::ceil((level - offset) / scale), static_cast<double>(least), static_cast<double>(reach));
    auto step = static_cast<std::int32_t>(about);
    while (step > least && wanted(step - 1) >= level) --step;
    while (step < reach && wanted(step) < level) ++step;
    if (!agrees(step) || !agrees(std::max(step - 1, least))) return false;
  }
  return agrees(least) && agrees(reach);
}

std::optional<ByteFinish> finish_of(const Stencil& stencil, std::int32_t reach) {
  constexpr double whole = 0x1p16;
  const double start = std::floor(stencil.offset / stencil.scale);
  if (stencil.scale > 1 || std::abs(start) + reach > longest_word) return std::nullopt;
  ByteFinish finish{stencil.absolute, static_cast<std::int32_t>(start), 0};
  if (stencil.scale < 1) {
    finish.factor = static_cast<std::int32_t>(std::ceil(stencil.scale * whole));
    if (finish.factor >= static_cast<std::int32_t>(whole)) return std::nullopt;
  }
  return agree(finish, stencil.scale, stencil.offset, reach) ? std::optional(finish) : std::nullopt;
}

/// One thread's work on rows of results.
class ByteRows {
 public:
  ByteRows(const ImageFormat& format, const Stencil& stencil, const BytePlan& plan, const RowsIn<std::uint8_t>& in,
           const RowsOut<std::uint8_t>& out)
      : format_(format),
        stencil_(stencil),
        plan_(plan),
        out_(out),
        stream_(format.bytes() > cache_bytes && !out.are_made()),
        channels_(count_of(format.channels)),
        outside_(static_cast<std::uint8_t>(stencil.border_value)),
        beyond_(static_cast<std::size_t>(format.row()), outside_),
        rows_(static_cast<std::size_t>(stencil.height)),
        places_(plan.places.size()),
        inputs_(in, stencil.height, format.width, format.row()),
        result_(static_cast<std::size_t>(out.are_made() ? format.row() : 0)) {}

  // Row y of the slice whose first row is `top`.
  void filter(Index top, Index y) {
    for (Index k = 0; k < stencil_.height; ++k) {
      const Index source = border_index(stencil_.border, y + k - stencil_.height / 2, format_.height);
      rows_[static_cast<std::size_t>(k)] = source < 0 ? beyond_.data() : inputs_(top + source, y + k);
    }
    out_.put(top + y, 0, format_.width, result_.data(), [&](std::uint8_t* place) { sum_row(place); });
  }

 private:
  void sum_row(std::uint8_t* to) {
    const Index radius = stencil_.width / 2;
    const Index edge = std::min(radius, format_.width);
    const Index last = std::max(edge, format_.width - radius);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      places_[i] = rows_[row_of(i)] + column_of(i) * channels_;
    }
    const Index count = (last - edge) * channels_;
    if (count > 0) {
      byte_sums(plan_.pairs, plan_.finish, places_.data(), count, stream_, to + edge * channels_);
    }
    for (Index x = 0; x < edge; ++x) sum_pixel(x, to);
    for (Index x = last; x < format_.width; ++x) sum_pixel(x, to);
  }

  std::size_t row_of(std::size_t i) const { return static_cast<std::size_t>(plan_.places[i] / stencil_.width); }
  Index column_of(std::size_t i) const { return plan_.places[i] % stencil_.width; }

  // A pixel that needs pixels beyond the sides.
  void sum_pixel(Index x, std::uint8_t* to) {
    const auto number = [&](std::size_t i, Index c) -> std::int32_t {
      const Index source = border_index(stencil_.border, x + column_of(i) - stencil_.width / 2, format_.width);
      return source < 0 ? outside_ : rows_[row_of(i)][source * channels_ + c];
    };
    for (Index c = 0; c < channels_; ++c) {
      std::int32_t sum = 0;
      for (const BytePair& pair : plan_.pairs) {
        sum += pair.first_weight * number(pair.first, c) + pair.second_weight * number(pair.second, c);
      }
      to[x * channels_ + c] = finished_byte(sum, plan_.finish);
    }
  }

  const ImageFormat& format_;
  const Stencil& stencil_;
  const BytePlan& plan_;
  const RowsOut<std::uint8_t>& out_;
  bool stream_;
  Index channels_;
  std::uint8_t outside_;
  std::vector<std::uint8_t> beyond_;
  std::vector<const std::uint8_t*> rows_, places_;
  WindowRows<std::uint8_t> inputs_;
  std::vector<std::uint8_t> result_;
};

}  // namespace

std::optional<BytePlan> byte_plan(const Stencil& stencil) {
  std::int32_t total = 0;
  BytePlan plan;
  std::vector<std::int32_t> weights;
  for (std::size_t i = 0; i < stencil.integers.size(); ++i) {
    const std::int32_t weight = stencil.integers[i];
    if (weight == 0) continue;
    if (std::abs(weight) >= most_byte_weight) return std::nullopt;
    total += std::abs(weight);
    if (total > most_byte_weight) return std::nullopt;
    plan.places.push_back(static_cast<std::int32_t>(i));
    weights.push_back(weight);
  }
  const auto finish = finish_of(stencil, total * largest_byte);
  if (!finish) return std::nullopt;
  plan.finish = *finish;
  for (std::size_t i = 0; i < weights.size(); i += 2) {
    const bool both = i + 1 < weights.size();
    plan.pairs.push_back({i, both ? i + 1 : i, weights[i], both ? weights[i + 1] : 0});
  }
  return plan;
}

void byte_stencil(const Context& ctx, const ImageFormat& format, const Stencil& stencil, const BytePlan& plan,
                  const RowsIn<std::uint8_t>& in, const RowsOut<std::uint8_t>& out) {
  const Index bands = divide_up(format.height, band_rows);
  const int threads = threads_for(ctx, format.shape().size());
  detail::parallel_threads(ctx, threads, bands * format.slices(), [&](const auto& turns) {
    ByteRows rows(format, stencil, plan, in, out);
    turns([&](Index band) {
      const Index first = band % bands * band_rows;
      for (Index y = first; y < std::min(first + band_rows, format.height) && !ctx.cancel_requested(); ++y) {
        rows.filter(band / bands * format.height, y);
      }
    });
  });
}

}  // namespace whorl::backend::cpu
