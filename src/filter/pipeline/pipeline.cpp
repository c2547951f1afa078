#include "whorl/filter/pipeline.hpp"

#include <fmt/format.h>

#include "filter/pipeline/pipeline_text.hpp"
#include "filter/pipeline/stages.hpp"
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
