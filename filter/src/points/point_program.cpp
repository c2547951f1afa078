#include "filter/src/points/point_program.hpp"

#include <algorithm>
#include <cmath>

#include "filter/src/kernels/points/point_arithmetic.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using kernels::PointOp;
using kernels::PointStep;

/// The result of a step for one number, for steps that take each number by itself.
float number_after(const PointStep& step, const std::vector<float>& table, int channel, float v) {
  const auto at = static_cast<std::size_t>(channel);
  const bool stays = channel >= step.colors;
  switch (step.op) {
    case PointOp::table:
      return table[static_cast<std::size_t>(channel * step.table_stride) + static_cast<std::size_t>(v)];
    case PointOp::bins:
      return stays ? v : table[static_cast<std::size_t>(kernels::point::bin_of(v, step.scale[0], step.low))];
    case PointOp::affine:
      return stays ? v : kernels::point::affine(v, step.scale[at], step.shift[at], step.low, step.high);
    case PointOp::power:
      return stays ? v : kernels::point::power(v, step.scale[0]);
    case PointOp::absolute:
      return stays ? v : std::fabs(v);
    case PointOp::threshold:
      return stays ? v : kernels::point::threshold(v, step.low);
    default:
      return static_cast<float>(kernels::point::quantize(v, static_cast<float>(full_scale(step.to))));
  }
}

bool by_number(PointOp op) {
  return op != PointOp::mix && op != PointOp::magnitude && op != PointOp::phase && op != PointOp::part;
}

}  // namespace

int levels_of(PixelType type) { return static_cast<int>(full_scale(type)) + 1; }

PointProgram::PointProgram(const ImageFormat& input)
    : from_type_(input.type), to_type_(input.type), from_channels_(input.channels), to_channels_(input.channels) {}

ImageFormat PointProgram::output(ImageFormat input) const {
  input.type = to_type_;
  input.channels = to_channels_;
  return input;
}

kernels::PointCode PointProgram::code() const {
  if (size() > kernels::most_point_steps) throw ShapeError("point operations: too many for one pass");
  kernels::PointCode code;
  code.from = from_type_;
  code.to = to_type_;
  code.channels_from = count_of(from_channels_);
  code.channels_to = count_of(to_channels_);
  for (const Step& step : steps_) code.steps[static_cast<std::size_t>(code.count++)] = step.what;
  return code;
}

PointStep PointProgram::step(PointOp op) const {
  PointStep what;
  what.op = op;
  what.from = what.to = to_type_;
  what.channels = count_of(to_channels_);
  what.colors = colors();
  return what;
}

void PointProgram::add(Step next) {
  to_type_ = next.what.to;
  const bool after_table = !steps_.empty() && steps_.back().what.op == PointOp::table;
  if (!by_number(next.what.op) || !after_table) {
    steps_.push_back(std::move(next));
    return;
  }
  // Combines two tables: applies the second one to each entry of the first.
  Step& last = steps_.back();
  const auto levels = static_cast<std::size_t>(levels_of(last.what.from));
  const bool differ = last.what.table_stride != 0 || next.what.table_stride != 0 ||
                      next.what.colors < next.what.channels || next.what.op == PointOp::affine;
  const int tables = differ ? last.what.channels : 1;
  const std::vector<float> none;
  auto both = std::make_shared<std::vector<float>>(levels * static_cast<std::size_t>(tables));
  for (int channel = 0; channel < tables; ++channel) {
    for (std::size_t level = 0; level < levels; ++level) {
      const float between = (*last.table)[static_cast<std::size_t>(channel * last.what.table_stride) + level];
      (*both)[static_cast<std::size_t>(channel) * levels + level] =
          number_after(next.what, next.table ? *next.table : none, channel, between);
    }
  }
  last.table = std::move(both);
  last.what.table_stride = tables > 1 ? static_cast<int>(levels) : 0;
  last.what.to = next.what.to;
}

void PointProgram::add_table(PixelType to, bool same, const std::function<float(int channel, float v)>& value) {
  Step next{step(PointOp::table), nullptr};
  const int levels = levels_of(to_type_);
  const int tables = same ? 1 : next.what.channels;
  auto table = std::make_shared<std::vector<float>>();
  table->reserve(static_cast<std::size_t>(levels) * static_cast<std::size_t>(tables));
  for (int channel = 0; channel < tables; ++channel) {
    for (int level = 0; level < levels; ++level) table->push_back(value(channel, static_cast<float>(level)));
  }
  next.what.to = to;
  next.what.table_stride = tables > 1 ? levels : 0;
  next.table = std::move(table);
  add(std::move(next));
}

void PointProgram::map(const std::function<double(double v)>& value) {
  const double full = full_scale(to_type_);
  const auto rounded = [&](float v) {
    return static_cast<float>(std::clamp(std::floor(value(static_cast<double>(v)) + 0.5), 0.0, full));
  };
  add_table(to_type_, !has_alpha(to_channels_),
            [&](int channel, float v) { return channel < colors() ? rounded(v) : v; });
}

void PointProgram::map_channels(const std::function<double(int channel, double v)>& value) {
  const double full = full_scale(to_type_);
  add_table(to_type_, count_of(to_channels_) == 1, [&](int channel, float v) {
    if (channel >= colors()) return v;
    return static_cast<float>(std::clamp(std::floor(value(channel, static_cast<double>(v)) + 0.5), 0.0, full));
  });
}

void PointProgram::map_to(PixelType type, const std::function<float(float v)>& value) {
  add_table(type, true, [&](int /*channel*/, float v) { return value(v); });
}

void PointProgram::affine(std::span<const float> scale, std::span<const float> shift, float low, float high) {
  Step next{step(PointOp::affine), nullptr};
  std::copy(scale.begin(), scale.end(), next.what.scale.begin());
  std::copy(shift.begin(), shift.end(), next.what.shift.begin());
  next.what.low = low;
  next.what.high = high;
  add(std::move(next));
}

void PointProgram::power(float exponent) {
  Step next{step(PointOp::power), nullptr};
  next.what.scale[0] = exponent;
  add(std::move(next));
}

void PointProgram::absolute() { add({step(PointOp::absolute), nullptr}); }

void PointProgram::threshold(float limit) {
  Step next{step(PointOp::threshold), nullptr};
  next.what.low = limit;
  add(std::move(next));
}

void PointProgram::bins(float low, float scale, std::vector<float> table) {
  Step next{step(PointOp::bins), std::make_shared<const std::vector<float>>(std::move(table))};
  next.what.low = low;
  next.what.scale[0] = scale;
  add(std::move(next));
}

void PointProgram::quantize(PixelType type) {
  Step next{step(PointOp::quantize), nullptr};
  next.what.to = type;
  add(std::move(next));
}

void PointProgram::mix(std::array<int, 3> weights, int divisor) {
  Step next{step(PointOp::mix), nullptr};
  next.what.weights = weights;
  next.what.divisor = divisor;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    next.what.scale[i] = static_cast<float>(static_cast<double>(weights[i]) / divisor);
  }
  add(std::move(next));
  to_channels_ = has_alpha(to_channels_) ? Channels::gray_alpha : Channels::gray;
}

void PointProgram::magnitude() {
  add({step(PointOp::magnitude), nullptr});
  to_channels_ = Channels::gray;
}

void PointProgram::phase() {
  add({step(PointOp::phase), nullptr});
  to_channels_ = Channels::gray;
}

void PointProgram::part(int channel) {
  Step next{step(PointOp::part), nullptr};
  next.what.weights[0] = channel;
  add(std::move(next));
  to_channels_ = Channels::gray;
}

void PointProgram::then(const PointProgram& next) {
  for (const Step& step : next.steps_) add(step);
  to_channels_ = next.to_channels_;
}

}  // namespace whorl
