#include "io/nifti/stack_files.hpp"

#include <fmt/format.h>

namespace whorl::io {

namespace {

namespace fs = std::filesystem;

// "folder/image.nii.gz", 2 -> "folder/image_2.nii.gz"
fs::path numbered(const fs::path& path, std::size_t number, std::string_view extension) {
  const std::string name = path.filename().string();
  return path.parent_path() / fmt::format("{}_{}{}", name.substr(0, name.size() - extension.size()), number, extension);
}

}  // namespace

SliceStacks stacks_of(const Shape& images, std::span<const ImageFrame> frames) {
  std::vector<Geometry> geometries;
  geometries.reserve(frames.size());
  for (const ImageFrame& frame : frames) geometries.push_back(frame.geometry);
  return stack_slices(geometries, images[1]);
}

std::vector<fs::path> nifti_files(const fs::path& path, const SliceStacks& stacks) {
  if (stacks.stacks.size() == 1) return {path};
  const std::string_view extension = path.extension() == ".gz" ? ".nii.gz" : ".nii";
  std::vector<fs::path> files;
  for (std::size_t i = 1; i <= stacks.stacks.size(); ++i) files.push_back(numbered(path, i, extension));
  return files;
}

fs::path sidecar_path(fs::path path) {
  if (path.extension() == ".gz") path.replace_extension();
  return path.replace_extension(".json");
}

std::vector<fs::path> with_sidecars(std::vector<fs::path> files, const ImageOptions& options) {
  const std::size_t images = files.size();
  for (std::size_t i = 0; options.bids_sidecar && i < images; ++i) files.push_back(sidecar_path(files[i]));
  return files;
}

}  // namespace whorl::io
