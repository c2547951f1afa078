#include "filter/pipeline/hooks.hpp"

#include <optional>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::filters {

PointProgram learn(const Context& ctx, ImageStatistic& statistic, const Image& image) {
  do {
    statistic.add(ctx, image);
  } while (statistic.wants_another_pass(ctx));
  return statistic.finish();
}

namespace {

// A point filter has a program for every image that it takes.
PointProgram program_of(const Filter& filter, const ImageFormat& input) {
  std::optional<PointProgram> program = Hooks::points(filter, input);
  if (program) return *std::move(program);
  throw Unsupported(filter.name() + ": no point operation for " + to_string(input));
}

}  // namespace

ImageFormat PointFilter::do_output(const ImageFormat& input) const { return program_of(*this, input).output(input); }

void PointFilter::do_apply(const Context& ctx, const Image& input, Image& result) const {
  BoundPoints(ctx, program_of(*this, input.format())).apply(ctx, input, result);
}

RowRange PointFilter::do_rows_needed(const ImageFormat& /*input*/, RowRange result) const { return result; }

void StatisticFilter::do_apply(const Context& ctx, const Image& input, Image& result) const {
  const std::unique_ptr<ImageStatistic> statistic = Hooks::statistic(*this, input.format());
  BoundPoints(ctx, learn(ctx, *statistic, input)).apply(ctx, input, result);
}

}  // namespace whorl::filters
