#include "filter/hooks.hpp"

namespace whorl::filters {

PointProgram learn(const Context& ctx, ImageStatistic& statistic, const Image& image) {
  do {
    statistic.add(ctx, image);
  } while (statistic.wants_another_pass(ctx));
  return statistic.finish();
}

ImageFormat PointFilter::do_output(const ImageFormat& input) const {
  return Hooks::points(*this, input)->output(input);
}

void PointFilter::do_apply(const Context& ctx, const Image& input, Image& result) const {
  BoundPoints(ctx, *Hooks::points(*this, input.format())).apply(ctx, input, result);
}

RowRange PointFilter::do_rows_needed(const ImageFormat& /*input*/, RowRange result) const { return result; }

void StatisticFilter::do_apply(const Context& ctx, const Image& input, Image& result) const {
  const std::unique_ptr<ImageStatistic> statistic = Hooks::statistic(*this, input.format());
  BoundPoints(ctx, learn(ctx, *statistic, input)).apply(ctx, input, result);
}

}  // namespace whorl::filters
