#include "filter/src/points/bound_points.hpp"

#include <cstring>

namespace whorl {

namespace {

Array<std::uint8_t> on_device(const Context& ctx, const std::vector<float>& table, PixelType type) {
  return with_pixel_type(type, [&](auto number) {
    using T = decltype(number);
    Array<std::uint8_t> packed(ctx.host(), {static_cast<Index>(table.size() * sizeof(T))});
    for (std::size_t i = 0; i < table.size(); ++i) {
      const T entry = static_cast<T>(table[i]);
      std::memcpy(packed.data() + i * sizeof(T), &entry, sizeof(T));
    }
    return ctx.device() == packed.device() ? std::move(packed) : clone(ctx, packed.ref());
  });
}

}  // namespace

BoundPoints::BoundPoints(const Context& ctx, const PointProgram& program) : code_(program.code()) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const PointProgram::Step& step = program.steps_[i];
    if (!step.table) continue;
    tables_.push_back(on_device(ctx, *step.table, step.what.to));
    code_.steps[i].table = tables_.back().data();
  }
}

void BoundPoints::apply(const Context& ctx, const Image& input, Image& result) const {
  const ImageFormat& format = input.format();
  kernels::apply_points(ctx, code_, format.slices() * format.height * format.width, raw_pixels(input),
                        raw_pixels(result));
}

const void* raw_pixels(const Image& image) {
  return with_pixel_type(image.format().type,
                         [&](auto number) -> const void* { return image.pixels<decltype(number)>().data(); });
}

void* raw_pixels(Image& image) {
  return with_pixel_type(image.format().type,
                         [&](auto number) -> void* { return image.pixels<decltype(number)>().data(); });
}

}  // namespace whorl
