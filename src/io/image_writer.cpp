#include "whorl/io/image_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/nifti/stack_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/dicom.hpp"
#include "whorl/io/image_series_writer.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<float>;

struct Request {
  const Context& ctx;
  const fs::path& path;
  ArrayRef<const Complex> images;  // [frame, z, y, x]
  std::span<const ImageFrame> frames;
  const ImageOptions& options;
};

Array<float> magnitude(const Context& ctx, ArrayRef<const Complex> images) {
  Array<float> result(ctx, images.shape());
  std::transform(images.span().begin(), images.span().end(), result.span().begin(),
                 [](Complex value) { return std::abs(value); });
  return result;
}

WrittenImages write_as_nifti(const Request& request) {
  return ImageSeriesWriter(request.ctx, request.path, request.images.shape(), request.frames, request.options)
      .finish(request.ctx, request.images);
}

void check_nifti(const Shape& images, std::span<const ImageFrame> frames, const ImageOptions& /*options*/) {
  for (const SliceStack& stack : io::stacks_of(images, frames).stacks) {
    voxel_affine(stack.geometry, {images[3], images[2], images[1] * stack.slices});
  }
}

WrittenImages write_as_dicom(const Request& request) {
  WrittenImages written;
  written.files = write_dicom(request.ctx, request.path, magnitude(request.ctx, request.images), request.frames,
                              request.options.facts);
  if (written.files.size() > 1) {
    written.note = fmt::format("the slices are in {} DICOM files", written.files.size());
  }
  return written;
}

void check_as_dicom(const Shape& images, std::span<const ImageFrame> frames, const ImageOptions& options) {
  if (options.part == ImagePart::complex) {
    throw ValueError("a .dcm image holds magnitudes; write complex images as .nii, .nii.gz or .npy");
  }
  check_dicom(images, frames);
}

WrittenImages write_as_npy(const Request& request) {
  if (request.options.part == ImagePart::complex) {
    write_npy<Complex>(request.ctx, request.path, request.images);
  } else {
    write_npy<float>(request.ctx, request.path, magnitude(request.ctx, request.images));
  }
  return {{request.path}, {}};
}

// For formats that accept any images of the right shape.
void check_nothing(const Shape& /*images*/, std::span<const ImageFrame> /*frames*/, const ImageOptions& /*options*/) {}

WrittenImages write_as_ismrmrd(const Request& request) {
  write_ismrmrd_image(request.ctx, request.images, request.frames, request.path);
  return {{request.path}, {}};
}

WrittenImages write_as_png(const Request& request) {
  write_png(request.ctx, request.path, magnitude(request.ctx, request.images), request.options.png);
  return {{request.path}, {}};
}

void check_as_png(const Shape& images, std::span<const ImageFrame> /*frames*/, const ImageOptions& options) {
  if (options.part == ImagePart::complex) {
    throw ValueError("a .png picture holds magnitudes; write complex images as .nii, .nii.gz or .npy");
  }
  check_png(images, options.png);
}

struct Format {
  ImageType type;
  WrittenImages (*write)(const Request& request);
  void (*check)(const Shape& images, std::span<const ImageFrame> frames, const ImageOptions& options);
};

// Every format that images can be written in.
constexpr std::array formats{
    Format{ImageType::nifti, write_as_nifti, check_nifti}, Format{ImageType::dicom, write_as_dicom, check_as_dicom},
    Format{ImageType::npy, write_as_npy, check_nothing},   Format{ImageType::ismrmrd, write_as_ismrmrd, check_nothing},
    Format{ImageType::png, write_as_png, check_as_png},
};

const Format& find_format(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::vector<std::string> endings = image_endings();
  // A name that is an extension alone (".png") has none.
  const bool is_ending = std::find(endings.begin(), endings.end(), name) != endings.end();
  const ImageType type = is_ending ? ImageType::none : image_type(name);
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const Format& one) { return one.type == type; });
  if (found == formats.end()) {
    throw ValueError(fmt::format("'{}': the extension names the format of the images; known are {}", path.string(),
                                 image_extensions()));
  }
  return *found;
}

const Format& checked_format(const fs::path& path, const Shape& images, std::span<const ImageFrame> frames,
                             const ImageOptions& options) {
  const Format& format = find_format(path);
  if (images.rank() != 4 || images.size() == 0 || images[0] != static_cast<Index>(frames.size())) {
    throw ShapeError(fmt::format("writing '{}': expected images [frame, z, y, x] of {} frames, got {}", path.string(),
                                 frames.size(), to_string(images)));
  }
  format.check(images, frames, options);
  return format;
}

}  // namespace

WrittenImages write_image(const Context& ctx, const fs::path& path, ArrayRef<const Complex> images,
                          std::span<const ImageFrame> frames, const ImageOptions& options) {
  const Format& format = checked_format(path, images.shape(), frames, options);
  if (format.type == ImageType::nifti) return format.write({ctx, path, images, frames, options});  // checks them itself
  const auto bad = std::find_if_not(images.span().begin(), images.span().end(),
                                    [](Complex value) { return std::isfinite(std::abs(value)); });
  if (bad != images.span().end()) {
    throw ValueError(fmt::format("writing '{}': pixel {} of {} is not finite (NaN or infinite); check the data",
                                 path.string(), bad - images.span().begin(), images.size()));
  }
  return format.write({ctx, path, images, frames, options});
}

std::vector<fs::path> check_image_path(const fs::path& path, const Shape& images, std::span<const ImageFrame> frames,
                                       const ImageOptions& options) {
  const Format& format = checked_format(path, images, frames, options);
  std::vector<fs::path> files{path};
  if (format.type == ImageType::nifti)
    files = io::with_sidecars(io::nifti_files(path, io::stacks_of(images, frames)), options);
  if (format.type == ImageType::dicom) files = dicom_files(path, images);
  for (const fs::path& file : files) const AtomicFile trial(file);  // not committed: it vanishes
  return files;
}

void check_image_extension(const fs::path& path) { find_format(path); }

}  // namespace whorl
