#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>
#include <ismrmrd/meta.h>

#include <limits>
#include <sstream>

#include "io/ismrmrd/dataset.hpp"
#include "io/ismrmrd/geometry.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {

namespace {

void check_images(ArrayRef<const std::complex<float>> images, std::span<const ImageFrame> frames,
                  const std::string& file) {
  if (images.rank() != 4 || images.extent(0) != static_cast<Index>(frames.size()) || images.size() == 0) {
    throw ShapeError(fmt::format("{}: images of shape {}, expected [{} frames, z, y, x], more than none", file,
                                 to_string(images.shape()), frames.size()));
  }
  constexpr Index most = std::numeric_limits<std::uint16_t>::max();
  for (int axis = 1; axis < images.rank(); ++axis) {
    if (images.extent(axis) > most) {
      throw ShapeError(fmt::format("{}: images of shape {}, ISMRMRD holds at most {} pixels along an axis", file,
                                   to_string(images.shape()), most));
    }
  }
  if (images.extent(0) > most) {
    throw ShapeError(fmt::format("{}: {} images, ISMRMRD numbers at most {}", file, images.extent(0), most));
  }
  for (const ImageFrame& frame : frames) {
    const FrameIndex& index = frame.index;
    for (const int counter : {index.slice, index.contrast, index.phase, index.repetition, index.set}) {
      if (counter >= 0 && counter <= most) continue;
      throw ValueError(fmt::format("{}: ISMRMRD holds counters from 0 to {}, got {}", file, most, counter));
    }
  }
}

}  // namespace

ISMRMRD::ImageHeader io::image_header(const ImageFrame& frame, const Shape& shape, std::size_t number) {
  ISMRMRD::ImageHeader head;
  head.data_type = ISMRMRD::ISMRMRD_CXFLOAT;
  head.image_type = ISMRMRD::ISMRMRD_IMTYPE_COMPLEX;
  head.channels = 1;
  for (int axis = 0; axis < 3; ++axis) {
    head.matrix_size[axis] = static_cast<std::uint16_t>(shape[-1 - axis]);
    head.field_of_view[axis] = static_cast<float>(frame.geometry.field_of_view_mm[static_cast<std::size_t>(axis)]);
  }
  io::set_geometry<ISMRMRD::ISMRMRD_ImageHeader>(head, frame.geometry);
  head.slice = static_cast<std::uint16_t>(frame.index.slice);
  head.contrast = static_cast<std::uint16_t>(frame.index.contrast);
  head.phase = static_cast<std::uint16_t>(frame.index.phase);
  head.repetition = static_cast<std::uint16_t>(frame.index.repetition);
  head.set = static_cast<std::uint16_t>(frame.index.set);
  head.image_index = static_cast<std::uint16_t>(number + 1);
  return head;
}

void write_ismrmrd_image(const Context& ctx, ArrayRef<const std::complex<float>> images,
                         std::span<const ImageFrame> frames, const std::filesystem::path& path) {
  check_images(images, frames, path.string());
  ISMRMRD::MetaContainer meta;
  meta.set("ImageProcessingHistory", "whorl");
  std::ostringstream attributes;
  ISMRMRD::serialize(meta, attributes);
  std::string text = attributes.str();

  io::IsmrmrdWriter file(path);
  ProgressStage stage(ctx, "write images", images.extent(0));
  for (std::size_t number = 0; number < frames.size(); ++number) {
    const ArrayRef<const std::complex<float>> volume = images.slice(static_cast<Index>(number));
    // The library's struct has no const; it only reads what it appends.
    ISMRMRD::ISMRMRD_Image image{};
    image.head = io::image_header(frames[number], volume.shape(), number);
    image.head.attribute_string_len = static_cast<std::uint32_t>(text.size());
    image.attribute_string = text.data();
    image.data = const_cast<std::complex<float>*>(volume.data());
    file.append(image);
    stage.advance();
  }
  file.finish(ctx);
}

}  // namespace whorl
