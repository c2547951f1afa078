#include "whorl/io/normal_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/bytes/parse_json.hpp"
#include "io/bytes/printable.hpp"
#include "io/numpy/npz.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"

namespace whorl {

namespace {

using Json = nlohmann::ordered_json;

constexpr int file_version = 1;
constexpr const char* header_member = "normal.json";
constexpr Index most_pixels = Index{1} << 20U;  // along an axis: beyond any image, and no product of three overflows

std::string array_name(std::size_t index) { return fmt::format("spectrum_{}", index); }

std::vector<Index> extents_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw IoError(
      fmt::format("'{}': {}; make it anew by a reconstruction that keeps the normals of its trajectories", file, what));
}

std::string format_header(const SavedNormals& normals) {
  Json json{{"whorl_normal", file_version},
            {"whorl", version()},
            {"image", extents_of(normals.image)},
            {"grid", extents_of(normals.normals.front().spectrum.shape())},
            {"normals", Json::array()}};
  for (const SavedNormal& normal : normals.normals) {
    json["normals"].push_back(
        {{"trajectory_sha256", normal.trajectory}, {"samples", normal.samples}, {"origin", normal.origin}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

bool is_fingerprint(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_consistent(const std::vector<Index>& image, const std::vector<Index>& grid, const SavedNormals& found) {
  const auto sensible = [](Index extent) { return extent >= 1 && extent <= most_pixels; };
  if ((image.size() != 2 && image.size() != 3) || grid.size() != image.size()) return false;
  for (std::size_t axis = 0; axis < image.size(); ++axis) {
    if (!sensible(image[axis]) || !sensible(grid[axis]) || grid[axis] < 2 * image[axis] - 1) return false;
  }
  return !found.normals.empty() && std::all_of(found.normals.begin(), found.normals.end(), [](const SavedNormal& one) {
    return is_fingerprint(one.trajectory) && one.samples >= 1 && io::is_printable(one.origin);
  });
}

// All but the spectra, and the extents of their grid.
Shape parse_header(const std::string& text, const std::string& file, SavedNormals& found) {
  try {
    const Json json = io::parse_json<Json>(text, file);
    if (json.at("whorl_normal") != file_version) {
      refuse(file, fmt::format("a normal operator of version {}, expected {}",
                               io::printable(json.at("whorl_normal").dump()), file_version));
    }
    const auto image = json.at("image").get<std::vector<Index>>();
    const auto grid = json.at("grid").get<std::vector<Index>>();
    for (const Json& normal : json.at("normals")) {
      found.normals.push_back({normal.at("trajectory_sha256").get<std::string>(),
                               normal.at("samples").get<Index>(),
                               normal.at("origin").get<std::string>(),
                               {}});
    }
    if (!is_consistent(image, grid, found)) refuse(file, "what it says of its normal operator contradicts itself");
    found.image = Shape(image);
    return Shape(grid);
  } catch (const Json::exception& error) {
    refuse(file, fmt::format("{} can not be read: {}", header_member, io::printable(error.what(), 200)));
  }
}

Array<float> take_spectrum(std::vector<NamedArray>& arrays, const std::string& name, const Shape& grid,
                           const std::string& file) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& a) { return a.name == name; });
  if (found == arrays.end()) refuse(file, fmt::format("it has no array {}", name));
  auto* const values = std::get_if<Array<float>>(&found->values);
  if (values == nullptr || values->shape() != grid) {
    refuse(file, fmt::format("the array {} is {} of {}, expected float32 of {}", name, type_name(found->values),
                             to_string(shape_of(found->values)), to_string(grid)));
  }
  try {
    check_finite(found->values, file + ":" + name);
  } catch (const ValueError& error) {
    throw IoError(error.what());
  }
  return std::move(*values);
}

}  // namespace

void write_normals(const Context& ctx, const std::filesystem::path& path, const SavedNormals& normals) {
  if (normals.normals.empty()) {
    throw ValueError(fmt::format("'{}': no normal operator to write; expected at least one", path.string()));
  }
  std::vector<NamedArray> arrays;
  for (std::size_t i = 0; i < normals.normals.size(); ++i) {
    arrays.push_back({array_name(i), clone(ctx.host(), normals.normals[i].spectrum.ref())});
  }
  io::write_npz(ctx, path, arrays, format_header(normals), header_member);
}

SavedNormals read_normals(const Context& ctx, const std::filesystem::path& path) {
  io::NpzContents contents = io::read_npz(ctx.host(), path, header_member);
  std::ranges::for_each(contents.arrays, &check_readable);
  const std::string file = path.string();
  if (contents.header.empty()) refuse(file, fmt::format("holds no normal operator (no {})", header_member));
  SavedNormals found;
  const Shape grid = parse_header(contents.header, file, found);
  for (std::size_t i = 0; i < found.normals.size(); ++i) {
    found.normals[i].spectrum = take_spectrum(contents.arrays, array_name(i), grid, file);
  }
  found.source = file;
  return found;
}

}  // namespace whorl
