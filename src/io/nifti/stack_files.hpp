// Which NIfTI files the frames of a series go to.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "whorl/core/shape.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::io {

/// The stacks that frames of images [frame, z, y, x] form.
SliceStacks stacks_of(const Shape& images, std::span<const ImageFrame> frames);

/// One file for each stack: the path, or paths with numbers.
std::vector<std::filesystem::path> nifti_files(const std::filesystem::path& path, const SliceStacks& stacks);

/// "folder/image_2.nii.gz" -> "folder/image_2.json"
std::filesystem::path sidecar_path(std::filesystem::path path);

/// The files, and behind them the sidecars that the options ask for.
std::vector<std::filesystem::path> with_sidecars(std::vector<std::filesystem::path> files, const ImageOptions& options);

}  // namespace whorl::io
