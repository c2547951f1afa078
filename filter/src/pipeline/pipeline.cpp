// Image, Filter, Pipeline: An Image is [volume, z, y, x, channel] of bytes, 16 bits or float on a device. Its
// ImageFormat is known before its pixels. A Filter gives the format of its result, the input rows that rows of its
// result need, and the result. Its FilterDescriptor, made from the table of its options (whorl/filter/describe.hpp), is
// the source of the command line, its help and docs/reference/filters.md. Point filters describe themselves as a PointProgram,
// image statistics end in one, and neighboring filters become one pass (src/filter/pipeline/stages). Kernels run
// programs in their load and store: a slot takes optional PointEnds (filter/kernels/points/point_ends.hpp), and each
// backend answers in its points/can_fuse.cpp which programs its kernels run at which end. A CPU runs them on rows
// (filter/cpu/points/point_ends.hpp). Threads of a GPU run them on words (filter/cuda/ends.cuh, a template parameter of
// kernels; without operations the kernel is the plain one). The interface between pipelines and the library's own
// filters is private (src/filter/pipeline/hooks.hpp); a filter of the user is a pass of its own. FilterRegistry holds
// the descriptors; programs add theirs to it. PipelinePlan keeps images and, on a GPU, a graph. apply_in_bands runs any
// pipeline on images that do not fit into memory. Integer results are the same on every device to the last bit: they
// are sums of integers, or products that are rounded before they are added. The target is compiled accordingly
// (-ffp-contract=off, --fmad=false). Where a product and a sum must be one operation, the source says so
// (kernels::multiply_add, std::fma, hn::MulAdd, __fmaf_rn).
#include "whorl/filter/pipeline.hpp"

#include <fmt/format.h>

#include "filter/src/pipeline/pipeline_text.hpp"
#include "filter/src/pipeline/stages.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Pipeline Pipeline::parse(std::string_view text, const FilterRegistry& registry) {
  Pipeline pipeline;
  for (const filters::FilterText& filter : filters::split_pipeline(text)) {
    pipeline.add(registry.find(filter.name).make(filter.arguments));
  }
  return pipeline;
}

std::vector<std::string> Pipeline::files_to_read(std::string_view text, const FilterRegistry& registry) {
  std::vector<std::string> files;
  for (const filters::FilterText& filter : filters::split_pipeline(text)) {
    for (std::string& file : whorl::files_to_read(registry.find(filter.name), filter.arguments)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

void Pipeline::add(std::shared_ptr<const Filter> filter) {
  if (filter == nullptr) throw ValueError("filter pipeline: add(nullptr), expected a filter");
  filters_.push_back(std::move(filter));
}

ImageFormat Pipeline::output(const ImageFormat& input) const {
  ImageFormat format = input;
  for (const auto& filter : filters_) format = filter->output(format);
  return format;
}

Image Pipeline::apply(const Context& ctx, const Image& input) const {
  output(input.format());  // refuses formats before the work
  if (input.device() != ctx.device()) {
    throw DeviceError(
        fmt::format("filter pipeline: the image lies on {}, expected {}; bring it there by clone(ctx, image)",
                    to_string(input.device()), to_string(ctx.device())));
  }
  const std::vector<filters::Stage> stages = filters::stages_of(filters_, input.format(), ctx.device().kind);
  if (stages.empty()) return clone(ctx, input);
  ProgressStage progress(ctx, "filter pipeline", static_cast<Index>(stages.size()));
  Image image;
  for (const filters::Stage& stage : stages) {
    Image next(ctx, stage.output);
    filters::BoundStage(ctx, stage).apply(ctx, &stage == stages.data() ? input : image, next);
    image = std::move(next);
    progress.advance();
  }
  return image;
}

}  // namespace whorl
