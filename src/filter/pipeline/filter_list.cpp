// The list of filters, in the order of the documentation.
#include "filter/pipeline/filter_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// Whether the names differ by at most one letter: added, removed or changed.
bool is_close(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin());
  if (in_a == a.end()) return true;
  return std::equal(a.size() == b.size() ? in_a + 1 : in_a, a.end(), in_b + 1, b.end());
}

bool resembles(std::string_view name, std::string_view candidate) {
  return is_close(name, candidate) || candidate.find(name) != std::string_view::npos;
}

std::vector<std::string> names_of(const FilterDescriptor& filter) {
  std::vector<std::string> names{filter.name};
  names.insert(names.end(), filter.aliases.begin(), filter.aliases.end());
  return names;
}

}  // namespace

std::span<const FilterDescriptor> filter_list() {
  using namespace filters;
  static const std::vector<FilterDescriptor> all{
      // Light and color
      gray_descriptor(),
      gray_world_descriptor(),
      autocontrast_descriptor(),
      equalize_descriptor(),
      clahe_descriptor(),
      threshold_descriptor(),
      window_descriptor(),
      gamma_descriptor(),
      scale_descriptor(),
      clip_descriptor(),
      invert_descriptor(),
      convert_descriptor(),
      // Smoothing, sharpening and edges
      gaussian_descriptor(),
      median_descriptor(),
      unsharp_descriptor(),
      custom_descriptor(),
      sobel_x_descriptor(),
      sobel_y_descriptor(),
      scharr_descriptor(),
      laplacian_descriptor(),
      canny_descriptor(),
      // Denoising, and what scans leave in images
      bilateral_descriptor(),
      non_local_means_descriptor(),
      heat_descriptor(),
      perona_malik_descriptor(),
      gibbs_descriptor(),
      bias_descriptor(),
      // Morphology
      erode_descriptor(),
      dilate_descriptor(),
      open_descriptor(),
      close_descriptor(),
      gradient_descriptor(),
      tophat_descriptor(),
      blackhat_descriptor(),
      // Size and place
      resize_descriptor(),
      rotate_descriptor(),
      flip_descriptor(),
      crop_descriptor(),
      pad_descriptor(),
      align_descriptor(),
      register_descriptor(),
      // Complex images and coils
      magnitude_descriptor(),
      phase_descriptor(),
      real_descriptor(),
      imaginary_descriptor(),
      root_sum_of_squares_descriptor(),
  };
  return all;
}

std::vector<std::string> files_to_read(const FilterDescriptor& filter, std::span<const FilterArgument> arguments) {
  std::vector<std::string> files;
  for (const OptionDescriptor& parameter : filter.parameters) {
    if (parameter.file != FileUse::input) continue;
    for (const FilterArgument& argument : arguments) {
      if (argument.name == parameter.name) files.push_back(argument.value);
    }
  }
  return files;
}

const FilterDescriptor& find_filter(std::string_view name) {
  std::string close;
  for (const FilterDescriptor& filter : filter_list()) {
    for (const std::string& candidate : names_of(filter)) {
      if (candidate == name) return filter;
      if (!name.empty() && resembles(name, candidate)) close += (close.empty() ? "" : ", ") + candidate;
    }
  }
  throw ValueError(fmt::format("no filter is called '{}'{}; filter_list() names all", name,
                               close.empty() ? "" : fmt::format(" (did you mean {}?)", close)));
}

}  // namespace whorl
