#include "filter/src/pipeline/hooks.hpp"

namespace whorl::filters {

bool is_repeatable(const Filter& filter, const ImageFormat& input) {
  const auto* const repeatable = dynamic_cast<const RepeatableFilter*>(&filter);
  return repeatable != nullptr && repeatable->is_repeatable(input);
}

PointProgram learn(const Context& ctx, ImageStatistic& statistic, const Image& image) {
  do {
    statistic.add(ctx, image);
  } while (statistic.wants_another_pass(ctx));
  return statistic.finish();
}

ImageFormat PointFilter::do_output(const ImageFormat& input) const { return do_points(input).output(input); }

void PointFilter::do_apply(const Context& ctx, const Image& input, Image& result) const {
  BoundPoints(ctx, do_points(input.format())).apply(ctx, input, result);
}

RowRange PointFilter::do_rows_needed(const ImageFormat& /*input*/, RowRange result) const { return result; }

void StatisticFilter::do_apply(const Context& ctx, const Image& input, Image& result) const {
  const std::unique_ptr<ImageStatistic> statistic = do_statistic(input.format());
  BoundPoints(ctx, learn(ctx, *statistic, input)).apply(ctx, input, result);
}

bool FusingFilter::can_fuse(DeviceKind device, const ImageFormat& input, PointPlace place,
                            const PointProgram& program) const {
  const std::optional<kernels::FusingKernel> kernel = do_kernel(input);
  return kernel && kernels::can_fuse(device, *kernel, place, program.code());
}

}  // namespace whorl::filters
