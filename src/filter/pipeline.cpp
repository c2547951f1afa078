#include "whorl/filter/pipeline.hpp"

#include "filter/pipeline_text.hpp"
#include "whorl/filter/descriptor.hpp"

namespace whorl {

Pipeline Pipeline::parse(std::string_view text) {
  Pipeline pipeline;
  for (const filters::FilterText& filter : filters::split_pipeline(text)) {
    pipeline.add(find_filter(filter.name).make(filter.arguments));
  }
  return pipeline;
}

ImageFormat Pipeline::output(const ImageFormat& input) const {
  ImageFormat format = input;
  for (const auto& filter : filters_) format = filter->output(format);
  return format;
}

Image Pipeline::apply(const Context& ctx, const Image& input) const {
  output(input.format());  // what can not be done is refused before the work
  if (filters_.empty()) return clone(ctx, input);
  Image image = filters_.front()->apply(ctx, input);
  for (const auto& filter : filters().subspan(1)) image = filter->apply(ctx, image);
  return image;
}

}  // namespace whorl
