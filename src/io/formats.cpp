// The list of formats. To add one: its reader and writer in files of their own, and one entry here.
#include <fmt/format.h>

#include <algorithm>

#include "io/array_or_fault.hpp"
#include "io/cfl/cfl.hpp"
#include "io/cfl/scan_cfl.hpp"
#include "io/dicom/read.hpp"
#include "io/format.hpp"
#include "io/hdf5/arrays.hpp"
#include "io/hdf5/challenge.hpp"
#include "io/ismrmrd/arrays.hpp"
#include "io/nifti/header.hpp"
#include "io/numpy/npy_stream.hpp"
#include "io/numpy/npz.hpp"
#include "io/parboil/parboil.hpp"
#include "io/pictures/arrays.hpp"
#include "io/pulseq/sequence.hpp"
#include "io/scans/scan_arrays.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/matlab.hpp"
#include "whorl/io/nifti.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl::io {

namespace {

namespace fs = std::filesystem;
using Arrays = std::vector<NamedArray>;

std::string name_of(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".nii.gz") ? name.substr(0, name.size() - 7) : path.stem().string();
}

const NamedArray& only(std::span<const NamedArray> arrays, const fs::path& path) {
  if (arrays.size() == 1) return arrays.front();
  throw ValueError(
      fmt::format("writing '{}': the format holds one array, there are {}; write .npz or .h5, or choose one "
                  "with FILE:NAME",
                  path.string(), arrays.size()));
}

// For formats in which every file is a scan.
bool is_any(const FileStart& /*file*/) { return true; }

template <class T>
Arrays single(const fs::path& path, T values, std::optional<Affine> affine = std::nullopt) {
  Arrays arrays;
  arrays.push_back({name_of(path), std::move(values), affine});
  return arrays;
}

// NumPy

bool is_npy(const FileStart& file) { return file.text().starts_with(npy_magic); }

Arrays read_npy_arrays(const Context& ctx, const fs::path& path) { return single(path, read_npy(ctx, path)); }

void write_npy_array(const Context& ctx, const fs::path& path, std::span<const NamedArray> arrays) {
  std::visit([&]<class T>(const Array<T>& values) { write_npy<T>(ctx, path, values); }, only(arrays, path).values);
}

// An archive without members is its end alone.
bool is_npz_file(const FileStart& file) {
  if (file.text().starts_with("PK\x05\x06")) return file.path.extension() == ".npz";
  return file.text().starts_with("PK\x03\x04") && is_npz(file.path);
}

bool is_npz_scan(const FileStart& file) { return has_member(file.path, scan_header_member); }

Arrays read_npz_arrays(const Context& ctx, const fs::path& path) { return read_npz(ctx, path).arrays; }

void write_npz_arrays(const Context& ctx, const fs::path& path, std::span<const NamedArray> arrays) {
  write_npz(ctx, path, arrays, {});
}

Scan read_npz_scan(const Context& ctx, const fs::path& path, const ScanReadOptions& /*options*/) {
  NpzContents contents = read_npz(ctx, path);
  std::ranges::for_each(contents.arrays, &check_readable);
  if (contents.header.empty()) {
    throw IoError(
        fmt::format("'{}': its arrays do not say what a scan needs (matrix, unit): convert it to a scan, with the "
                    "matrix",
                    path.string()));
  }
  return scan_from_arrays(ctx, std::move(contents.arrays), contents.header, path.string());
}

void write_npz_scan(const Context& ctx, const Scan& scan, const fs::path& path) {
  const ScanArrays parts = scan_to_arrays(ctx, scan);
  write_npz(ctx, path, parts.arrays, parts.header);
}

// BART

bool is_cfl(const FileStart& file) { return !find_cfl(file.path).empty(); }

bool is_cfl_scan(const FileStart& file) { return file.text().find("# Whorl\n") != std::string_view::npos; }

Arrays read_cfl_arrays(const Context& ctx, const fs::path& path) {
  const fs::path name = find_cfl(path);
  CflArray array = read_cfl(ctx, name);
  // BART writes 16 dimensions whatever the array has.
  std::vector<Index> extents(array.values.shape().begin(), array.values.shape().end());
  const auto first = std::find_if(extents.begin(), extents.end() - 1, [](Index extent) { return extent != 1; });
  array.values.reshape(Shape(std::vector<Index>(first, extents.end())));
  Arrays arrays;
  arrays.push_back({name.filename().string(), std::move(array.values)});
  return arrays;
}

void write_cfl_array(const Context& ctx, const fs::path& path, std::span<const NamedArray> arrays) {
  const NamedArray& array = only(arrays, path);
  const Shape& shape = shape_of(array.values);
  const std::vector<Index> dimensions(std::make_reverse_iterator(shape.end()),
                                      std::make_reverse_iterator(shape.begin()));
  write_cfl(ctx, path, converted<std::complex<float>>(ctx, array.values, array.name), dimensions, {});
}

Scan read_cfl_as_scan(const Context& ctx, const fs::path& path, const ScanReadOptions& /*options*/) {
  return read_scan_cfl(ctx, path);
}

// DICOM

Arrays read_dicom_arrays(const Context& ctx, const fs::path& path) {
  Arrays arrays;
  arrays.push_back(read_dicom(ctx, path));
  return arrays;
}

// MATLAB

// Version 7.3 is HDF5 behind this text; version 4 has no signature, only its usual name.
bool is_matlab(const FileStart& file) { return file.text().starts_with("MATLAB") || file.path.extension() == ".mat"; }

// NIfTI

bool is_nifti(const FileStart& file) {
  constexpr std::size_t magic1 = 344;
  constexpr std::size_t magic2 = 4;
  const int version = nifti_version(file.start);
  if (version == 0 || file.start.size() < nifti1_bytes) return false;
  const std::string_view magic = file.text().substr(version == 1 ? magic1 : magic2, 2);
  return magic == "n+" || magic == "ni";
}

Arrays read_nifti_array(const Context& ctx, const fs::path& path) {
  NiftiImage image = read_nifti(ctx, path);
  return single(path, std::move(image.values), image.affine);
}

void write_nifti_array(const Context& ctx, const fs::path& path, std::span<const NamedArray> arrays) {
  const NamedArray& array = only(arrays, path);
  Affine nowhere;
  nowhere.in_scanner = false;
  std::visit(
      [&]<class T>(const Array<T>& values) { write_nifti<T>(ctx, path, values, array.affine.value_or(nowhere)); },
      array.values);
}

// HDF5

bool is_hdf5(const FileStart& file) { return file.text().starts_with("\x89HDF\r\n\x1a\n"); }

bool is_ismrmrd(const FileStart& file) { return is_hdf5(file) && holds_ismrmrd(file.path); }

bool is_ismrmrd_scan(const FileStart& file) { return holds_acquisitions(file.path); }

bool is_challenge(const FileStart& file) {
  if (!is_hdf5(file)) return false;
  const Hdf5File hdf5(file.path);
  return hdf5.has("trajectory") && (hdf5.has("rawdata") || hdf5.has(scan_header_dataset));
}

bool is_own_challenge(const FileStart& file) { return Hdf5File(file.path).has(scan_header_dataset); }

Arrays read_hdf5_arrays(const Context& ctx, const fs::path& path) {
  const Hdf5File file(path);
  Arrays arrays;
  for (const std::string& name : file.list_datasets()) {
    arrays.push_back(array_or_fault(name, [&] { return file.read(ctx, name); }));
  }
  if (arrays.empty()) throw IoError(fmt::format("{}: no dataset of numbers in it", path.string()));
  return arrays;
}

void write_hdf5_arrays(const Context& ctx, const fs::path& path, std::span<const NamedArray> arrays) {
  write_hdf5(ctx, path, arrays, {});
}

Scan read_challenge_scan(const Context& ctx, const fs::path& path, const ScanReadOptions& options) {
  ConvertOptions convert;
  convert.trajectory_unit = options.trajectory_unit;
  return read_challenge(ctx, path, convert);
}

// Parboil

bool is_mri_q_bin(const FileStart& file) { return is_mri_q_input(file.start, file.bytes); }
bool is_mri_q_out(const FileStart& file) { return is_mri_q_output(file.start, file.bytes); }
bool is_uks(const FileStart& file) { return is_gridding_header(file.text()); }

Scan read_uks(const Context& ctx, const fs::path& path, const ScanReadOptions& /*options*/) {
  return read_gridding(ctx, path);
}

// Pulseq

bool is_pulseq(const FileStart& file) {
  return pulseq::is_sequence(file.text()) || pulseq::is_binary_sequence(file.text());
}

Scan read_pulseq_scan(const Context& ctx, const fs::path& path, const ScanReadOptions& /*options*/) {
  return read_pulseq(ctx, path);
}

// Pictures

bool is_picture_file(const FileStart& file) { return is_picture(file.text()); }

Arrays read_one_picture(const Context& ctx, const fs::path& path) {
  return single(path, read_picture_array(ctx, path));
}

}  // namespace

std::span<const Format> formats() {
  static const std::vector<Format> all{
      {"npy", "NumPy array", {".npy"}, false, &is_npy, &read_npy_arrays, &write_npy_array, nullptr, nullptr, nullptr},
      {"npz",
       "NumPy archive",
       {".npz"},
       false,
       &is_npz_file,
       &read_npz_arrays,
       &write_npz_arrays,
       &is_npz_scan,
       &read_npz_scan,
       &write_npz_scan,
       &is_any},
      {"cfl",
       "BART array",
       {".cfl"},
       true,
       &is_cfl,
       &read_cfl_arrays,
       &write_cfl_array,
       &is_cfl_scan,
       &read_cfl_as_scan,
       &write_scan_cfl,
       &is_any},
      {"nifti",
       "NIfTI image",
       {".nii", ".nii.gz"},
       true,
       &is_nifti,
       &read_nifti_array,
       &write_nifti_array,
       nullptr,
       nullptr,
       nullptr},
      {"dicom", "DICOM image", {}, true, &is_dicom, &read_dicom_arrays, nullptr, nullptr, nullptr, nullptr},
      {"matlab", "MATLAB file", {}, true, &is_matlab, &read_matlab, nullptr, nullptr, nullptr, nullptr},
      {"challenge",
       "HDF5 file in the layout of the ISMRM reproducibility challenge",
       {},
       false,
       &is_challenge,
       &read_hdf5_arrays,
       nullptr,
       &is_any,
       &read_challenge_scan,
       &write_challenge,
       &is_own_challenge},
      {"ismrmrd",
       "ISMRMRD file",
       {".h5"},
       false,
       &is_ismrmrd,
       &read_ismrmrd_arrays,
       nullptr,
       &is_ismrmrd_scan,
       &read_ismrmrd,
       &write_ismrmrd},
      {"hdf5", "HDF5 file", {".h5"}, false, &is_hdf5, &read_hdf5_arrays, &write_hdf5_arrays, nullptr, nullptr, nullptr},
      {"mri-q-input",
       "input of Parboil's mri-q",
       {".bin"},
       false,
       &is_mri_q_bin,
       &read_mri_q_input,
       &write_mri_q_input,
       nullptr,
       nullptr,
       nullptr},
      {"mri-q-output",
       "output of Parboil's mri-q",
       {".out"},
       false,
       &is_mri_q_out,
       &read_mri_q_output,
       &write_mri_q_output,
       nullptr,
       nullptr,
       nullptr},
      {"mri-gridding",
       "file of samples of Parboil's mri-gridding",
       {},
       false,
       &is_uks,
       nullptr,
       nullptr,
       &is_any,
       &read_uks,
       nullptr,
       &is_any},
      {"pulseq",
       "sequence of Pulseq",
       {},
       false,
       &is_pulseq,
       nullptr,
       nullptr,
       &is_any,
       &read_pulseq_scan,
       nullptr,
       &is_any},
      {"picture", "picture", {}, false, &is_picture_file, &read_one_picture, nullptr, nullptr, nullptr, nullptr},
  };
  return all;
}

}  // namespace whorl::io
