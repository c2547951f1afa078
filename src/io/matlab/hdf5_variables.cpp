#include "io/matlab/hdf5_variables.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <string_view>

#include "io/array_or_fault.hpp"
#include "io/hdf5/arrays.hpp"
#include "io/matlab/element_name.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// A numeric dataset: its name in MATLAB and its path in the file.
struct Variable {
  std::string name;
  std::string path;
};

/// The text of an attribute, however its end is marked; empty if there is none or it is no text.
std::string text_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), &H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), &H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), &H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  if (H5Tis_variable_str(type.get()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.get(), type.get(), static_cast<void*>(&text)) < 0 || text == nullptr) return {};
    std::string copied = text;
    H5free_memory(text);
    return copied;
  }
  std::string text(H5Tget_size(type.get()), '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool has(hid_t object, const char* attribute) { return H5Aexists(object, attribute) > 0; }

bool is_text(std::string_view matlab_class) {
  return matlab_class == "char" || matlab_class == "string" || matlab_class == "function_handle";
}

/// Follows groups (structures) and references (cells, arrays of structures) from the root.
class Search {
 public:
  Search(hid_t file, std::string file_name) : file_(file), file_name_(std::move(file_name)) {}

  std::vector<Variable> run() {
    const Hdf5Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), &H5Gclose);
    take_group(root.get(), "", 0);
    return std::move(found_);
  }

 private:
  static constexpr int deepest = 16;
  static constexpr std::size_t most = 10000;

  void take_group(hid_t group, const std::string& name, int depth) {
    if (has(group, "MATLAB_sparse") || depth > deepest) return;
    hsize_t count = 0;
    H5G_info_t info{};
    if (H5Gget_info(group, &info) >= 0) count = info.nlinks;
    for (hsize_t i = 0; i < count; ++i) {
      const std::string link = link_name(group, i);
      H5L_info_t kind{};
      // Names that begin with # hold what references lead to; links to other files are not followed.
      if (link.empty() || link.front() == '#' || H5Lget_info(group, link.c_str(), &kind, H5P_DEFAULT) < 0 ||
          kind.type != H5L_TYPE_HARD) {
        continue;
      }
      const Hdf5Handle object(H5Oopen(group, link.c_str(), H5P_DEFAULT), &H5Oclose);
      if (object.valid()) take(object.get(), name.empty() ? link : fmt::format("{}.{}", name, link), depth + 1);
    }
  }

  void take(hid_t object, const std::string& name, int depth) {
    const std::string matlab_class = text_of(object, "MATLAB_class");
    if (is_text(matlab_class) || has(object, "MATLAB_object_decode") || has(object, "MATLAB_empty")) return;
    if (H5Iget_type(object) == H5I_GROUP) return take_group(object, name, depth);
    if (H5Iget_type(object) != H5I_DATASET) return;
    const Hdf5Handle type(H5Dget_type(object), &H5Tclose);
    if (H5Tget_class(type.get()) == H5T_REFERENCE) {
      if (H5Tequal(type.get(), H5T_STD_REF_OBJ) > 0) take_references(object, name, matlab_class == "cell", depth);
      return;
    }
    if (!is_numeric_dataset(object)) return;
    if (found_.size() == most) throw IoError(fmt::format("{}: more than {} arrays in it", file_name_, most));
    found_.push_back({name, path_of(object)});
  }

  void take_references(hid_t dataset, const std::string& name, bool cell, int depth) {
    const Hdf5Handle space(H5Dget_space(dataset), &H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    if (count <= 0 || depth > deepest) return;
    if (static_cast<std::size_t>(count) > most)
      throw IoError(fmt::format("{}: {} has more than {} elements", file_name_, name, most));
    std::vector<hobj_ref_t> references(static_cast<std::size_t>(count));
    if (H5Dread(dataset, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data()) < 0) {
      throw IoError(fmt::format("{}: {} can not be read: the file is damaged or truncated", file_name_, name));
    }
    std::vector<hsize_t> stored(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.get()), 0)));
    H5Sget_simple_extent_dims(space.get(), stored.data(), nullptr);
    const std::vector<Index> extents(stored.rbegin(), stored.rend());
    for (std::size_t i = 0; i < references.size(); ++i) {
      const Hdf5Handle object(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, &references[i]), &H5Oclose);
      if (object.valid())
        take(object.get(), element_name(name, element_subscripts(extents, static_cast<Index>(i)), cell), depth + 1);
    }
  }

  // In an array of structures the number belongs to the structure: scan(2).kdata.
  static std::string element_name(const std::string& name, const std::string& number, bool cell) {
    if (cell) return fmt::format("{}{{{}}}", name, number);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return fmt::format("{}({})", name, number);
    return fmt::format("{}({}){}", name.substr(0, dot), number, name.substr(dot));
  }

  static std::string link_name(hid_t group, hsize_t number) {
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, number, nullptr, 0, H5P_DEFAULT);
    std::string name(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
    if (length > 0) {
      H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, number, name.data(), name.size() + 1, H5P_DEFAULT);
    }
    return name;
  }

  static std::string path_of(hid_t object) {
    const ssize_t length = H5Iget_name(object, nullptr, 0);
    std::string path(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
    if (length > 0) H5Iget_name(object, path.data(), path.size() + 1);
    return path;
  }

  hid_t file_;
  std::string file_name_;
  std::vector<Variable> found_;
};

}  // namespace

bool is_matlab_hdf5(const std::filesystem::path& path) {
  const Hdf5ErrorTrap trap;
  return H5Fis_hdf5(path.c_str()) > 0;
}

std::vector<NamedArray> read_matlab_hdf5(const Context& ctx, const std::filesystem::path& path) {
  const Hdf5File file(path);
  const std::vector<Variable> variables = Search(file.id(), path.string()).run();
  std::vector<NamedArray> arrays;
  ProgressStage stage(ctx, "read", static_cast<Index>(variables.size()));
  for (const Variable& variable : variables) {
    NamedArray array = array_or_fault(variable.name, [&] { return file.read(ctx, variable.path); });
    array.name = variable.name;
    if (!array.fault.empty() || shape_of(array.values).size() > 0) arrays.push_back(std::move(array));
    stage.advance();
  }
  if (arrays.empty()) throw IoError(fmt::format("{}: no numeric variable in it", path.string()));
  return arrays;
}

}  // namespace whorl::io
