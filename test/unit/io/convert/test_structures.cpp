// MATLAB files with structures and cells: version 5 made by matio, 7.3 by HDF5 as several programs write it.
#include <hdf5.h>
#include <matio.h>

#include <numeric>

#include "io/hdf5/handle.hpp"
#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/matlab.hpp"

namespace whorl {
namespace {

using io::Hdf5Handle;
using ::testing::ElementsAre;

class MatlabStructures : public test::FolderTest {
 protected:
  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const NamedArray& array : read_matlab(ctx, path())) found.push_back(array.name);
    return found;
  }
  std::filesystem::path path() const { return folder / "scan.mat"; }
};

matvar_t* numbers(const char* name, std::vector<std::size_t> extents) {
  const std::size_t size = std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(extents.size()), extents.data(),
                       values.data(), 0);
}

TEST_F(MatlabStructures, OfVersion5HaveDottedNames) {
  mat_t* file = Mat_CreateVer(path().c_str(), nullptr, MAT_FT_MAT5);
  std::vector<const char*> fields{"kdata", "inner"};
  std::vector<std::size_t> one{1, 1};
  matvar_t* scan = Mat_VarCreateStruct("scan", 2, one.data(), fields.data(), 2);
  Mat_VarSetStructFieldByName(scan, "kdata", 0, numbers("kdata", {4, 3}));
  const char* deep = "k";
  matvar_t* inner = Mat_VarCreateStruct("inner", 2, one.data(), &deep, 1);
  Mat_VarSetStructFieldByName(inner, "k", 0, numbers("k", {2, 4, 3}));
  Mat_VarSetStructFieldByName(scan, "inner", 0, inner);
  Mat_VarWrite(file, scan, MAT_COMPRESSION_ZLIB);
  Mat_VarFree(scan);
  std::vector<std::size_t> two{1, 2};
  const char* field = "x";
  matvar_t* several = Mat_VarCreateStruct("parts", 2, two.data(), &field, 1);
  for (std::size_t i = 0; i < 2; ++i) Mat_VarSetStructFieldByName(several, "x", i, numbers("x", {2, 1}));
  Mat_VarWrite(file, several, MAT_COMPRESSION_NONE);
  Mat_VarFree(several);
  std::vector<matvar_t*> cells{numbers("", {3, 1}), numbers("", {1, 2})};
  matvar_t* cell = Mat_VarCreate("coils", MAT_C_CELL, MAT_T_CELL, 2, two.data(), static_cast<void*>(cells.data()), 0);
  Mat_VarWrite(file, cell, MAT_COMPRESSION_NONE);
  Mat_VarFree(cell);
  std::vector<std::size_t> matrix{2, 2};
  std::vector<matvar_t*> four;
  for (std::size_t i = 0; i < 4; ++i) four.push_back(numbers("", {3, 1 + i}));
  cell = Mat_VarCreate("frames", MAT_C_CELL, MAT_T_CELL, 2, matrix.data(), static_cast<void*>(four.data()), 0);
  Mat_VarWrite(file, cell, MAT_COMPRESSION_NONE);
  Mat_VarFree(cell);
  Mat_Close(file);
  EXPECT_THAT(names(), ElementsAre("scan.kdata", "scan.inner.k", "parts(1).x", "parts(2).x", "coils{1}", "coils{2}",
                                   "frames{1,1}", "frames{2,1}", "frames{1,2}", "frames{2,2}"));
  const auto arrays = read_matlab(ctx, path());
  EXPECT_EQ(shape_of(arrays[1].values), (Shape{3, 4, 2}));
  EXPECT_EQ(std::get<Array<double>>(arrays[1].values).data()[23], 24);
}

/// A file of version 7.3: an HDF5 file behind 512 bytes.
class Hdf5Mat {
 public:
  explicit Hdf5Mat(const std::filesystem::path& path) : path_(path) {
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), &H5Pclose);
    H5Pset_userblock(creation.get(), 512);
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), H5P_DEFAULT), &H5Fclose);
  }
  hid_t root() const { return file_.get(); }
  void close() {
    file_ = Hdf5Handle();
    std::fstream stream(path_, std::ios::binary | std::ios::in | std::ios::out);
    const std::string text = "MATLAB 7.3 MAT-file, written by a test";
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  }

 private:
  std::filesystem::path path_;
  Hdf5Handle file_;
};

enum class Padding { none, terminated, padded, variable };

void set_class(hid_t object, const std::string& name, Padding padding) {
  if (padding == Padding::none) return;
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), &H5Tclose);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), &H5Sclose);
  if (padding == Padding::variable) {
    H5Tset_size(type.get(), H5T_VARIABLE);
  } else {
    // MATLAB says that the text ends with a zero, for which it leaves no room.
    H5Tset_size(type.get(), name.size());
    H5Tset_strpad(type.get(), padding == Padding::padded ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
  }
  const Hdf5Handle attribute(H5Acreate2(object, "MATLAB_class", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                             &H5Aclose);
  const char* text = name.c_str();
  H5Awrite(attribute.get(), type.get(), padding == Padding::variable ? static_cast<const void*>(&text) : text);
}

/// Complex numbers 0, 1 - i, 2 - 2i, ...; real ones without names of the parts.
Hdf5Handle add_numbers(hid_t group, const char* name, std::vector<hsize_t> extents, const char* real = nullptr,
                       const char* imaginary = nullptr) {
  const std::size_t size = std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i) {
    values.push_back(static_cast<double>(i));
    if (real != nullptr) values.push_back(-static_cast<double>(i));
  }
  Hdf5Handle made;
  hid_t type = H5T_NATIVE_DOUBLE;
  if (real != nullptr) {
    made = Hdf5Handle(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), &H5Tclose);
    H5Tinsert(made.get(), real, 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(made.get(), imaginary, sizeof(double), H5T_NATIVE_DOUBLE);
    type = made.get();
  }
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), &H5Sclose);
  Hdf5Handle dataset(H5Dcreate2(group, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  return dataset;
}

Hdf5Handle add_group(hid_t parent, const char* name) {
  return {H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose};
}

TEST_F(MatlabStructures, OfVersion73WhateverProgramWroteIt) {
  for (const Padding padding : {Padding::none, Padding::terminated, Padding::padded, Padding::variable}) {
    Hdf5Mat file(path());
    {
      const Hdf5Handle scan = add_group(file.root(), "scan");
      set_class(scan.get(), "struct", padding);
      const bool julia = padding == Padding::none;
      set_class(add_numbers(scan.get(), "kdata", {2, 5, 6}, julia ? "r" : "real", julia ? "i" : "imag").get(), "double",
                padding);
      set_class(add_numbers(scan.get(), "k", {5, 6}, julia ? "r" : "real", julia ? "i" : "imag").get(), "double",
                padding);
      set_class(add_numbers(scan.get(), "matrix", {1, 1}).get(), "double", padding);
      const Hdf5Handle references = add_group(file.root(), "#refs#");
      const Hdf5Handle stored = add_numbers(references.get(), "a", {1, 3});
      std::array<hobj_ref_t, 2> cells{};
      H5Rcreate(&cells[0], file.root(), "/#refs#/a", H5R_OBJECT, -1);
      H5Rcreate(&cells[1], file.root(), "/scan", H5R_OBJECT, -1);
      const std::array<hsize_t, 2> extents{2, 1};
      const Hdf5Handle space(H5Screate_simple(2, extents.data(), nullptr), &H5Sclose);
      const Hdf5Handle cell(
          H5Dcreate2(file.root(), "cells", H5T_STD_REF_OBJ, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          &H5Dclose);
      H5Dwrite(cell.get(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data());
      set_class(cell.get(), "cell", padding == Padding::none ? Padding::terminated : padding);
      if (padding != Padding::none) set_class(add_numbers(file.root(), "text", {1, 4}).get(), "char", padding);
    }
    file.close();
    EXPECT_THAT(names(), ElementsAre("cells{1}", "cells{2}.k", "cells{2}.kdata", "cells{2}.matrix", "scan.k",
                                     "scan.kdata", "scan.matrix"));
    const auto arrays = read_matlab(ctx, path());
    EXPECT_EQ(shape_of(arrays[5].values), (Shape{2, 5, 6}));
    EXPECT_EQ(std::get<Array<std::complex<double>>>(arrays[5].values).data()[7], (std::complex<double>(7, -7)));
    std::filesystem::remove(path());
  }
}

TEST_F(MatlabStructures, BecomeScansByTheLastPartOfTheName) {
  Hdf5Mat file(path());
  {
    const Hdf5Handle scan = add_group(file.root(), "scan");
    add_numbers(scan.get(), "kdata", {3, 5, 6}, "real", "imag");
    add_numbers(scan.get(), "k", {5, 6}, "real", "imag");
  }
  file.close();
  ConvertOptions options;
  options.matrix = {64, 64, 1};
  options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  const Scan made = convert_scan(ctx, {path()}, options);
  EXPECT_EQ(made.coils, 3);
  EXPECT_EQ(made.frames[0].trajectory->readout_length, 6);
  EXPECT_EQ(made.frames[0].trajectory->points.view<2>()(7, 1), -7.0 / 64);
  options.data_variable = "scan.kdata";
  options.trajectory_variable = "k";
  EXPECT_EQ(convert_scan(ctx, {path()}, options).coils, 3);
}

}  // namespace
}  // namespace whorl
