// The pictures for the versions of a filter.
#include "bench/filter_test_image.hpp"
#include "studies/image_filters/filter_ladder.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::studies::image_filters {

namespace {

ImageFormat picture_format(Index height, Index width) { return {PixelType::uint8, Channels::rgb, 1, 1, height, width}; }

Job job_of(const Image& picture, Image& result) {
  const ImageFormat& from = picture.format();
  const ImageFormat& to = result.format();
  return {.from = picture.pixels<Byte>().data(),
          .height = static_cast<int>(from.height),
          .width = static_cast<int>(from.width),
          .to = result.pixels<Byte>().data(),
          .to_height = static_cast<int>(to.height),
          .to_width = static_cast<int>(to.width),
          .rows = static_cast<int>(to.height)};
}

}  // namespace

Bench::Bench(const Context& ctx, const Subject& subject, Index height, Index width)
    : picture(bench::filter_test_image(ctx, picture_format(height, width))),
      result(ctx, Pipeline::parse(subject.pipeline).output(picture.format())),
      job(job_of(picture, result)) {}

Check check_of(const Context& ctx, const Subject& subject, const Bench& bench) {
  const Image picture = to_host(ctx, bench.picture);
  Job job = bench.job;
  job.from = picture.pixels<Byte>().data();
  job.to = nullptr;
  // The check reads the picture when it is made and no more.
  return subject.check(ctx.host(), job, bench.result.format());
}

}  // namespace whorl::studies::image_filters
