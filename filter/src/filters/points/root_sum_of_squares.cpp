#include "whorl/filter/points/root_sum_of_squares.hpp"

#include <fmt/format.h>

#include <limits>

#include "filter/src/kernels/points/combine_volumes.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class RootSumOfSquares : public filters::RepeatableFilter {
 public:
  explicit RootSumOfSquares(const RootSumOfSquaresOptions& options)
      : RepeatableFilter("root-sum-of-squares"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    const bool gray = input.channels == Channels::gray || input.channels == Channels::complex;
    if (input.type != PixelType::float32 || !gray) {
      throw Unsupported(fmt::format("{}: takes gray or complex float32, got {} {}; apply 'convert float32' first",
                                    name(), to_string(input.channels), to_string(input.type)));
    }
    const Index coils = options_.coils.value_or(input.volumes);
    if (input.volumes % coils != 0) {
      throw ShapeError(
          fmt::format("{}: {} volumes, expected a multiple of the {} coils", name(), input.volumes, coils));
    }
    ImageFormat result = input;
    result.channels = Channels::gray;
    result.volumes = input.volumes / coils;
    return result;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = result.format();
    kernels::combine_volumes(ctx, format.volumes, input.format().volumes / format.volumes,
                             format.depth * format.height * format.width, count_of(input.format().channels),
                             input.pixels<float>().data(), result.pixels<float>().data());
  }

  RowRange do_rows_needed(const ImageFormat& /*input*/, RowRange result) const override { return result; }
  RootSumOfSquaresOptions options_;
};

const auto& root_sum_of_squares_filter() {
  static const auto filter =
      DescribeFilter<RootSumOfSquaresOptions>(
          "root-sum-of-squares",
          [](const RootSumOfSquaresOptions& options) { return std::make_unique<RootSumOfSquares>(options); })
          .summary("Combine the images of several coils")
          .text("The square root of the sum of |v|^2 over volumes; `coils` volumes in a row make one.")
          .integer("coils", &RootSumOfSquaresOptions::coils, {1, std::numeric_limits<Index>::max()}, "volumes",
                   "combined into one", "all");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_root_sum_of_squares(const RootSumOfSquaresOptions& options) {
  return root_sum_of_squares_filter().make(options);
}

FilterDescriptor filters::root_sum_of_squares_descriptor() { return root_sum_of_squares_filter().build(); }

}  // namespace whorl
