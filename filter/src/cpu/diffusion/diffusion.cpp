// Explicit steps of diffusion, on a CPU. On planes several steps are made at once, band by band, so that the rows
// between the steps stay in the cache; on volumes one step at a time. Implicit steps along lines are in
// diffusion_lines_hwy.cpp.
#include "filter/src/kernels/diffusion/diffusion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/diffusion/diffusion_rows.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// Rows of a band: so many that the rows which neighboring bands compute too are few in comparison.
constexpr Index band_rows = 64;
// Bytes of the rows between the first and the last step of a pass over planes; they should stay in a core's cache.
constexpr Index cached_bytes = Index{384} << 10;
constexpr Index most_at_once = 8;
constexpr Index ring_rows = 3;

// One step of a row; the rows beside it may be null (the 0 of the border).
template <class Rule>
class RowStep {
 public:
  RowStep(const ImageFormat& format, Border border, const Rule& rule)
      : rule_(rule),
        width_(format.width),
        channels_(count_of(format.channels)),
        left_(border_index(border, -1, width_)),
        right_(border_index(border, width_, width_)),
        zeros_(static_cast<std::size_t>(format.row()), 0.0F) {}

  const float* zeros() const { return zeros_.data(); }

  // The pointers to left and right in `rows` are not read.
  void operator()(const Stretch& rows) const {
    one_pixel(rows, 0, left_, width_ > 1 ? 1 : right_);
    if (width_ == 1) return;
    Stretch inner = shifted(rows, 1);
    inner.left = rows.middle;
    inner.right = rows.middle + Index{2} * channels_;
    step_stretch(rule_, inner, width_ - 2, channels_);
    one_pixel(rows, width_ - 1, width_ - 2, right_);
  }

 private:
  Stretch shifted(const Stretch& rows, Index pixel) const {
    const Index by = pixel * channels_;
    Stretch result = rows;
    result.middle += by;
    result.above += by;
    result.below += by;
    if (rows.front != nullptr) {
      result.front += by;
      result.behind += by;
    }
    result.to += by;
    return result;
  }
  void one_pixel(const Stretch& rows, Index pixel, Index left, Index right) const {
    Stretch one = shifted(rows, pixel);
    one.left = left < 0 ? zeros() : rows.middle + left * channels_;
    one.right = right < 0 ? zeros() : rows.middle + right * channels_;
    step_stretch(rule_, one, 1, channels_);
  }

  const Rule& rule_;
  Index width_;
  int channels_;
  Index left_;
  Index right_;
  std::vector<float> zeros_;
};

// Several steps of rows [first, last) of a plane. A row of an intermediate step is computed as soon as the three rows
// that it needs exist; three rows of each step are kept. If the border wraps, rows continue beyond the edges.
template <class Rule>
class Band {
 public:
  Band(const ImageFormat& format, Border border, Index steps, const RowStep<Rule>& step)
      : border_(border),
        height_(format.height),
        row_(format.row()),
        steps_(steps),
        step_(step),
        rings_(static_cast<std::size_t>((steps - 1) * ring_rows * row_)) {}

  void run(const float* from, float* to, Index first, Index last) {
    for (Index front = first - steps_ + 2; front < last + steps_; ++front) {
      for (Index level = 1; level <= steps_; ++level) {
        const Index y = front - level;
        const Index reach = steps_ - level;
        const bool wraps = border_ == Border::wrap;
        if (y < (wraps ? first - reach : std::max<Index>(first - reach, 0))) continue;
        if (y >= (wraps ? last + reach : std::min(last + reach, height_))) continue;
        Stretch rows;
        rows.middle = row_of(from, level - 1, y);
        rows.above = row_of(from, level - 1, y - 1);
        rows.below = row_of(from, level - 1, y + 1);
        rows.to = level == steps_ ? to + y * row_ : ring_row(level, y);
        step_(rows);
      }
    }
  }

 private:
  float* ring_row(Index level, Index y) {
    const Index slot = (y % ring_rows + ring_rows) % ring_rows;
    return rings_.data() + ((level - 1) * ring_rows + slot) * row_;
  }
  const float* row_of(const float* from, Index level, Index y) {
    if (level > 0 && border_ == Border::wrap) return ring_row(level, y);
    const Index within = border_index(border_, y, height_);
    if (within < 0) return step_.zeros();
    return level > 0 ? ring_row(level, within) : from + within * row_;
  }

  Border border_;
  Index height_;
  Index row_;
  Index steps_;
  const RowStep<Rule>& step_;
  std::vector<float> rings_;
};

template <class Rule>
void step_planes(const Context& ctx, const ImageFormat& format, Border border, Index steps,
                 const RowStep<Rule>& row_step, const float* from, float* to) {
  const Index bands = divide_up(format.height, band_rows);
  detail::parallel_threads(ctx, ctx.threads(), format.slices() * bands, [&](const auto& turns) {
    Band<Rule> band(format, border, steps, row_step);
    turns([&](Index at) {
      const Index plane = at / bands * format.height * format.row();
      const Index first = at % bands * band_rows;
      band.run(from + plane, to + plane, first, std::min(first + band_rows, format.height));
    });
  });
}

template <class Rule>
void step_volumes(const Context& ctx, const ImageFormat& format, Border border, const RowStep<Rule>& row_step,
                  const float* from, float* to) {
  const Index row = format.row();
  const Index plane = format.height * row;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index at = 0; at < format.slices() * format.height; ++at) {
    if (ctx.cancel_requested()) continue;
    const Index y = at % format.height;
    const Index z = at / format.height % format.depth;
    const float* volume = from + at / (format.height * format.depth) * format.depth * plane;
    const auto row_at = [&](Index row_z, Index row_y) {
      const Index z_within = border_index(border, row_z, format.depth);
      const Index y_within = border_index(border, row_y, format.height);
      return z_within < 0 || y_within < 0 ? row_step.zeros() : volume + z_within * plane + y_within * row;
    };
    Stretch rows;
    rows.middle = from + at * row;
    rows.above = row_at(z, y - 1);
    rows.below = row_at(z, y + 1);
    rows.front = row_at(z - 1, y);
    rows.behind = row_at(z + 1, y);
    rows.to = to + at * row;
    row_step(rows);
  }
}

template <class Rule>
void run_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps, const Rule& rule,
               Array<float>& image) {
  const RowStep<Rule> row_step(format, steps.border, rule);
  const Index ring_bytes = ring_rows * format.row() * static_cast<Index>(sizeof(float));
  const Index at_once = steps.volumes ? 1 : std::clamp<Index>(cached_bytes / ring_bytes, 1, most_at_once);
  Array<float> next(ctx, image.shape());
  for (Index done = 0; done < steps.steps; done += at_once) {
    ctx.check_cancel("diffusion");
    if (steps.volumes) {
      step_volumes(ctx, format, steps.border, row_step, image.data(), next.data());
    } else {
      step_planes(ctx, format, steps.border, std::min(at_once, steps.steps - done), row_step, image.data(),
                  next.data());
    }
    std::swap(image, next);
  }
}

void heat_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                const kernels::HeatRule& rule, Array<float>& image) {
  run_steps(ctx, format, steps, rule, image);
}

void perona_malik_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                        const kernels::PeronaMalikRule& rule, Array<float>& image) {
  run_steps(ctx, format, steps, rule, image);
}

}  // namespace

void register_diffusion() {
  kernels::heat_steps.set(DeviceKind::cpu, heat_steps);
  kernels::perona_malik_steps.set(DeviceKind::cpu, perona_malik_steps);
}

}  // namespace whorl::backend::cpu
