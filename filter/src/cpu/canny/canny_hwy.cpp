#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/canny/canny_rows.hpp"
#include "filter/src/cpu/points/points.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/canny/canny_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "filter/src/cpu/canny/canny_light-inl.hpp"
#include "filter/src/kernels/canny/components.hpp"
#include "whorl/core/integer.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Columns of a strip, so few that the rows kept for them stay in the first-level cache.
constexpr Index strip_columns = 1024;
// Space beside a strip for the pixels around it, and for the end of the last vector.
constexpr Index margin = 64;
constexpr Index halo = 2;
constexpr Index word_bits = kernels::BitMasks::word_bits;
constexpr Index no_row = std::numeric_limits<Index>::min();

template <class D, class V>
HWY_INLINE V weighted(D d, V level, const kernels::CannyPlan& plan, int k) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    return hn::Mul(level, hn::Set(d, plan.weights[k]));
  } else {
    return hn::MulFixedPoint15(level, hn::Set(d, plan.fixed_weights[k]));
  }
}

template <class D>
HWY_INLINE hn::Vec<D> to_float(D /*d*/, const std::int16_t* from) {
  const hn::Rebind<std::int32_t, D> d32;
  const hn::Rebind<std::int16_t, D> d16;
  return hn::ConvertTo(D(), hn::PromoteTo(d32, hn::LoadU(d16, from)));
}
template <class D>
HWY_INLINE hn::Vec<D> to_float(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D, class M>
HWY_INLINE std::uint32_t bits_of(D d, M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

// A ring of rows of a strip: row y is at place y modulo the number of rows.
template <class Level>
class Ring {
 public:
  explicit Ring(Index rows) : values_(rows * stride), tags_(rows, no_row) {}

  // Column 0 of the strip.
  Level* row(Index y) { return values_.data() + place(y) * stride + margin; }
  // Returns whether the row has to be computed, and marks it as computed.
  bool claim(Index y) {
    Index& tag = tags_[place(y)];
    if (tag == y) return false;
    tag = y;
    return true;
  }
  void clear() { std::fill(tags_.begin(), tags_.end(), no_row); }

 private:
  static constexpr Index stride = strip_columns + 2 * margin;
  Index place(Index y) const {
    const auto count = static_cast<Index>(tags_.size());
    return ((y % count) + count) % count;
  }
  std::vector<Level> values_;
  std::vector<Index> tags_;
};

template <class T>
class Strip {
 public:
  using Level = LevelOf<T>;

  Strip(const CannyRows& rows, const void* slice)
      : rows_(rows),
        plan_(rows.plan),
        slice_(static_cast<const std::byte*>(slice)),
        loaded_(rows.load != nullptr ? (strip_columns + 2 * margin) * rows.channels : 0),
        lights_(1),
        across_(2 * plan_.radius + 1),
        levels_(4),
        along_x_(4),
        along_y_(4),
        lengths_(4) {}

  void find(Index first_column, Index columns, std::uint32_t* mask, std::uint32_t* seeds) {
    first_ = first_column;
    columns_ = columns;
    across_.clear();
    levels_.clear();
    lengths_.clear();
    const Index words = divide_up(rows_.width, word_bits);
    for (Index y = rows_.first; y < rows_.last; ++y) {
      for (Index near = y - 1; near <= y + 1; ++near) {
        if (lengths_.claim(near)) find_gradient(near);
      }
      thin(y, mask + y * words + first_ / word_bits, seeds + y * words + first_ / word_bits);
    }
  }

 private:
  // Pixels of a row of the image, after the point operations of the load. Valid until the next call.
  const T* pixels(Index row, Index column, Index count) {
    const Index at = row * rows_.width + column;
    if (rows_.load == nullptr) return reinterpret_cast<const T*>(slice_) + at * rows_.channels;
    const kernels::PointCode& load = *rows_.load;
    const auto bytes = static_cast<Index>(bytes_of(load.from)) * load.channels_from;
    point_row(load, count, slice_ + at * bytes, loaded_.data());
    return loaded_.data();
  }

  // The light of a row of the image, and of the pixels beside it that the Gaussian and the gradients need.
  void find_lights(Index y, Level* lights) {
    const Index reach = halo + plan_.radius;
    const Index row = border_index(plan_.border, y, rows_.height);
    if (row < 0) {
      std::fill(lights - reach, lights + columns_ + reach, static_cast<Level>(plan_.border_value));
      return;
    }
    const Index begin = std::max<Index>(first_ - reach, 0);
    const Index end = std::min(first_ + columns_ + reach, rows_.width);
    lights_of(pixels(row, begin, end - begin), rows_.channels, end - begin, lights + begin - first_);
    const auto beyond = [&](Index x) {
      const Index column = border_index(plan_.border, x, rows_.width);
      lights[x - first_] =
          column < 0 ? static_cast<Level>(plan_.border_value) : light_of(pixels(row, column, 1), rows_.channels);
    };
    for (Index x = first_ - reach; x < 0; ++x) beyond(x);
    for (Index x = rows_.width; x < first_ + columns_ + reach; ++x) beyond(x);
  }

  // The Gaussian along x of a row, which may lie beyond the image; integers with level_bits of fraction.
  void smooth_across(Index y, Level* to) {
    const hn::ScalableTag<Level> d;
    Level* lights = lights_.row(0);
    find_lights(y, lights);
    const auto scaled = [](auto level) HWY_ATTR {
      if constexpr (std::is_same_v<Level, float>) {
        return level;
      } else {
        return hn::ShiftLeft<kernels::level_bits>(level);
      }
    };
    for (Index x = -halo; x < columns_ + halo; x += static_cast<Index>(hn::Lanes(d))) {
      auto sum = weighted(d, scaled(hn::LoadU(d, lights + x)), plan_, 0);
      for (int k = 1; k <= plan_.radius; ++k) {
        const auto pair = hn::Add(hn::LoadU(d, lights + x - k), hn::LoadU(d, lights + x + k));
        sum = hn::Add(sum, weighted(d, scaled(pair), plan_, k));
      }
      hn::StoreU(sum, d, to + x);
    }
  }

  // The smoothed image in row y of the image and in the two pixels on either side.
  void smooth(Index y, Level* to) {
    const hn::ScalableTag<Level> d;
    const int radius = plan_.radius;
    const Level* near[2 * kernels::largest_canny_radius + 1];
    for (int k = -radius; k <= radius; ++k) {
      Level* row = across_.row(y + k);
      if (across_.claim(y + k)) smooth_across(y + k, row);
      near[radius + k] = row;
    }
    for (Index x = -halo; x < columns_ + halo; x += static_cast<Index>(hn::Lanes(d))) {
      auto sum = weighted(d, hn::LoadU(d, near[radius] + x), plan_, 0);
      for (int k = 1; k <= radius; ++k) {
        const auto pair = hn::Add(hn::LoadU(d, near[radius - k] + x), hn::LoadU(d, near[radius + k] + x));
        sum = hn::Add(sum, weighted(d, pair, plan_, k));
      }
      if constexpr (!std::is_same_v<Level, float>) {
        sum = hn::Add(sum, hn::Set(d, static_cast<Level>(1 << (kernels::level_bits - 1))));
        sum = hn::ShiftRight<kernels::level_bits>(sum);
      }
      hn::StoreU(sum, d, to + x);
    }
  }

  // The levels for gradients: the smoothed image, and its border outside. Row y is in the image or next to it.
  void find_levels(Index y, Level* to) {
    const Index row = border_index(plan_.border, y, rows_.height);
    if (row < 0) {
      std::fill(to - halo, to + columns_ + halo, static_cast<Level>(plan_.border_value));
      return;
    }
    if (plan_.radius == 0) {
      find_lights(row, to);
      return;
    }
    smooth(row, to);
    if (plan_.border == Border::wrap) return;
    for (const Index x : {Index{-1}, rows_.width}) {
      if (x < first_ - 1 || x > first_ + columns_) continue;
      const Index column = border_index(plan_.border, x, rows_.width);
      to[x - first_] = column < 0 ? static_cast<Level>(plan_.border_value) : to[column - first_];
    }
  }

  // The gradient of a row and its length, 0 beyond the image.
  void find_gradient(Index y) {
    float* lengths = lengths_.row(y);
    if (y < 0 || y >= rows_.height) {
      std::fill(lengths - 1, lengths + columns_ + 1, 0.0F);
      return;
    }
    for (Index near = y - 1; near <= y + 1; ++near) {
      Level* row = levels_.row(near);
      if (levels_.claim(near)) find_levels(near, row);
    }
    const hn::ScalableTag<Level> d;
    const Level* above = levels_.row(y - 1);
    const Level* here = levels_.row(y);
    const Level* below = levels_.row(y + 1);
    Level* along_x = along_x_.row(y);
    Level* along_y = along_y_.row(y);
    const auto difference = [&](const Level* a, const Level* b)
                                HWY_ATTR { return hn::Sub(hn::LoadU(d, a), hn::LoadU(d, b)); };
    for (Index x = -1; x < columns_ + 1; x += static_cast<Index>(hn::Lanes(d))) {
      const auto middle_x = difference(here + x + 1, here + x - 1);
      const auto sides_x = hn::Add(difference(above + x + 1, above + x - 1), difference(below + x + 1, below + x - 1));
      hn::StoreU(hn::Add(sides_x, hn::Add(middle_x, middle_x)), d, along_x + x);
      const auto middle_y = difference(below + x, above + x);
      const auto sides_y = hn::Add(difference(below + x - 1, above + x - 1), difference(below + x + 1, above + x + 1));
      hn::StoreU(hn::Add(sides_y, hn::Add(middle_y, middle_y)), d, along_y + x);
    }
    const hn::ScalableTag<float> df;
    for (Index x = -1; x < columns_ + 1; x += static_cast<Index>(hn::Lanes(df))) {
      const auto a = to_float(df, along_x + x);
      const auto b = to_float(df, along_y + x);
      const auto length = plan_.squared ? hn::Add(hn::Mul(a, a), hn::Mul(b, b)) : hn::Add(hn::Abs(a), hn::Abs(b));
      hn::StoreU(length, df, lengths + x);
    }
    if (first_ == 0) lengths[-1] = 0;
    if (first_ + columns_ == rows_.width) lengths[columns_] = 0;
  }

  void thin(Index y, std::uint32_t* mask, std::uint32_t* seeds) {
    const hn::ScalableTag<float> d;
    const auto n = static_cast<Index>(hn::Lanes(d));
    const auto low = hn::Set(d, plan_.low);
    const auto high = hn::Set(d, plan_.high);
    const float* lengths = lengths_.row(y);
    for (Index word = 0; word * word_bits < columns_; ++word) {
      std::uint32_t lines = 0;
      std::uint32_t strong = 0;
      for (Index i = 0; i < word_bits; i += n) {
        const Index x = word * word_bits + i;
        const auto length = hn::LoadU(d, lengths + x);
        auto stays = hn::Gt(length, low);
        if (hn::AllFalse(d, stays)) continue;
        stays = hn::And(stays, is_largest(y, x, length));
        lines |= bits_of(d, stays) << i;
        strong |= bits_of(d, hn::And(stays, hn::Gt(length, high))) << i;
      }
      const Index beyond = (word + 1) * word_bits - columns_;
      const std::uint32_t inside = beyond > 0 ? ~0U >> beyond : ~0U;
      mask[word] = lines & inside;
      seeds[word] = strong & inside;
    }
  }

  // Whether gradients are longer than those on both sides, along the direction that is closest to theirs.
  HWY_INLINE hn::Mask<hn::ScalableTag<float>> is_largest(Index y, Index at, hn::Vec<hn::ScalableTag<float>> length) {
    const hn::ScalableTag<float> d;
    const auto a = to_float(d, along_x_.row(y) + at);
    const auto b = to_float(d, along_y_.row(y) + at);
    const float* above = lengths_.row(y - 1) + at;
    const float* here = lengths_.row(y) + at;
    const float* below = lengths_.row(y + 1) + at;
    const auto width = hn::Abs(a);
    const auto height = hn::Abs(b);
    const auto flat = hn::Mul(width, hn::Set(d, kernels::tangent_of_sector));
    const auto is_x = hn::Lt(height, flat);
    const auto is_y = hn::Gt(height, hn::Add(flat, hn::Add(width, width)));
    const auto falls = hn::Xor(hn::Lt(a, hn::Zero(d)), hn::Lt(b, hn::Zero(d)));
    auto before = hn::IfThenElse(falls, hn::LoadU(d, above + 1), hn::LoadU(d, above - 1));
    auto after = hn::IfThenElse(falls, hn::LoadU(d, below - 1), hn::LoadU(d, below + 1));
    before = hn::IfThenElse(is_y, hn::LoadU(d, above), before);
    after = hn::IfThenElse(is_y, hn::LoadU(d, below), after);
    before = hn::IfThenElse(is_x, hn::LoadU(d, here - 1), before);
    after = hn::IfThenElse(is_x, hn::LoadU(d, here + 1), after);
    auto beats_after = hn::Gt(length, after);
    if (plan_.first_of_ties) {
      beats_after = hn::Or(beats_after, hn::And(hn::Or(is_x, is_y), hn::Eq(length, after)));
    }
    return hn::And(hn::Gt(length, before), beats_after);
  }

  const CannyRows& rows_;
  const kernels::CannyPlan& plan_;
  const std::byte* slice_;
  std::vector<T> loaded_;
  Index first_ = 0;
  Index columns_ = 0;
  Ring<Level> lights_;
  Ring<Level> across_;
  Ring<Level> levels_;
  Ring<Level> along_x_;
  Ring<Level> along_y_;
  Ring<float> lengths_;
};

template <class T>
HWY_INLINE void all_strips(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  Strip<T> strip(rows, slice);
  for (Index first = 0; first < rows.width; first += strip_columns) {
    strip.find(first, std::min(strip_columns, rows.width - first), mask, seeds);
  }
}

void thin_uint8(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  all_strips<std::uint8_t>(rows, slice, mask, seeds);
}
void thin_uint16(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  all_strips<std::uint16_t>(rows, slice, mask, seeds);
}
void thin_float(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  all_strips<float>(rows, slice, mask, seeds);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(thin_uint8);
HWY_EXPORT(thin_uint16);
HWY_EXPORT(thin_float);

template <>
void thin_edges<std::uint8_t>(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  HWY_DYNAMIC_DISPATCH(thin_uint8)(rows, slice, mask, seeds);
}
template <>
void thin_edges<std::uint16_t>(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  HWY_DYNAMIC_DISPATCH(thin_uint16)(rows, slice, mask, seeds);
}
template <>
void thin_edges<float>(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds) {
  HWY_DYNAMIC_DISPATCH(thin_float)(rows, slice, mask, seeds);
}

}  // namespace whorl::backend::cpu
#endif
