#include "whorl/io/image_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/nifti/bids_sidecar.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/dicom.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/nifti.hpp"
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

SliceStacks stacks_of(const Shape& images, std::span<const ImageFrame> frames) {
  std::vector<Geometry> geometries;
  geometries.reserve(frames.size());
  for (const ImageFrame& frame : frames) geometries.push_back(frame.geometry);
  return stack_slices(geometries, images[1]);
}

// "folder/image.nii.gz", 2 -> "folder/image_2.nii.gz"
fs::path numbered(const fs::path& path, std::size_t number, std::string_view extension) {
  const std::string name = path.filename().string();
  return path.parent_path() / fmt::format("{}_{}{}", name.substr(0, name.size() - extension.size()), number, extension);
}

// The frames of one stack as the series of volumes [volume, slice * z, y, x].
Array<Complex> gather(const Request& request, const SliceStack& stack) {
  const Shape& shape = request.images.shape();
  const Index volumes = static_cast<Index>(stack.frames.size()) / stack.slices;
  Array<Complex> series(request.ctx, {volumes, stack.slices * shape[1], shape[2], shape[3]});
  const auto slots = series.ref().reshape({volumes * stack.slices, shape[1], shape[2], shape[3]});
  for (Index slot = 0; slot < slots.extent(0); ++slot) {
    copy<Complex>(request.images.slice(stack.frames[static_cast<std::size_t>(slot)]), slots.slice(slot));
  }
  return series;
}

// One file for each stack.
std::vector<fs::path> nifti_files(const fs::path& path, const SliceStacks& stacks) {
  if (stacks.stacks.size() == 1) return {path};
  const std::string_view extension = path.extension() == ".gz" ? ".nii.gz" : ".nii";
  std::vector<fs::path> files;
  for (std::size_t i = 1; i <= stacks.stacks.size(); ++i) files.push_back(numbered(path, i, extension));
  return files;
}

// "folder/image_2.nii.gz" -> "folder/image_2.json"
fs::path sidecar_path(fs::path path) {
  if (path.extension() == ".gz") path.replace_extension();
  return path.replace_extension(".json");
}

std::vector<fs::path> with_sidecars(std::vector<fs::path> files, const ImageOptions& options) {
  const std::size_t images = files.size();
  for (std::size_t i = 0; options.bids_sidecar && i < images; ++i) files.push_back(sidecar_path(files[i]));
  return files;
}

void write_sidecar(const Request& request, const SliceStack& stack, const fs::path& image) {
  std::vector<ImageFrame> volumes;
  for (std::size_t i = 0; i < stack.frames.size(); i += static_cast<std::size_t>(stack.slices)) {
    volumes.push_back(request.frames[static_cast<std::size_t>(stack.frames[i])]);
  }
  const double interval = volumes.size() > 1 ? request.options.frame_interval_ms : 0;
  write_file(sidecar_path(image),
             io::bids_sidecar(request.options.facts, volumes, interval, request.images.extent(1) > 1));
}

WrittenImages write_as_nifti(const Request& request) {
  const SliceStacks stacks = stacks_of(request.images.shape(), request.frames);
  WrittenImages written{nifti_files(request.path, stacks), {}};
  if (stacks.stacks.size() > 1) {
    written.note = fmt::format("the frames are in {} NIfTI files, since they do not form one stack: {}",
                               stacks.stacks.size(), stacks.irregularity);
  }
  const double interval = request.options.frame_interval_ms;
  AtomicFileGroup together;
  for (std::size_t i = 0; i < stacks.stacks.size(); ++i) {
    const SliceStack& stack = stacks.stacks[i];
    const Array<Complex> series = gather(request, stack);
    if (request.options.part == ImagePart::complex) {
      write_nifti<Complex>(request.ctx, written.files[i], series, stack.geometry, interval);
    } else {
      write_nifti<float>(request.ctx, written.files[i], magnitude(request.ctx, series), stack.geometry, interval);
    }
    if (request.options.bids_sidecar) write_sidecar(request, stack, written.files[i]);
  }
  together.commit();
  written.files = with_sidecars(std::move(written.files), request.options);
  return written;
}

void check_nifti(const Shape& images, std::span<const ImageFrame> frames, const ImageOptions& /*options*/) {
  for (const SliceStack& stack : stacks_of(images, frames).stacks) {
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
  std::string_view extension;
  WrittenImages (*write)(const Request& request);
  void (*check)(const Shape& images, std::span<const ImageFrame> frames, const ImageOptions& options);
};

// Every format that images can be written in.
constexpr std::array formats{
    Format{".nii", write_as_nifti, check_nifti},    Format{".nii.gz", write_as_nifti, check_nifti},
    Format{".dcm", write_as_dicom, check_as_dicom}, Format{".npy", write_as_npy, check_nothing},
    Format{".h5", write_as_ismrmrd, check_nothing}, Format{".png", write_as_png, check_as_png},
};

const Format& find_format(const fs::path& path) {
  const std::string name = path.filename().string();
  // A name that is an extension alone (".png") has none.
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const Format& format) {
    return name.ends_with(format.extension) && name.size() > format.extension.size();
  });
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
  if (format.write == &write_as_nifti) files = with_sidecars(nifti_files(path, stacks_of(images, frames)), options);
  if (format.write == &write_as_dicom) files = dicom_files(path, images);
  for (const fs::path& file : files) const AtomicFile trial(file);  // not committed: it vanishes
  return files;
}

void check_image_extension(const fs::path& path) { find_format(path); }

std::string image_extensions() {
  std::string list;
  for (const Format& format : formats) list += fmt::format("{}{}", list.empty() ? "" : ", ", format.extension);
  return list;
}

}  // namespace whorl
