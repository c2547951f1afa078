#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "io/convert/array_axes.hpp"
#include "io/convert/names.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;

struct Hint {
  std::string_view part;
  const char* axis;
};

// Parts of names that say what elements are.
constexpr std::array hints{Hint{"coil", "coil"},          Hint{"channel", "coil"},
                           Hint{"receiver", "coil"},      Hint{"slice", "slice"},
                           Hint{"echo", "contrast"},      Hint{"contrast", "contrast"},
                           Hint{"phase", "phase"},        Hint{"cardiac", "phase"},
                           Hint{"frame", "repetition"},   Hint{"repetition", "repetition"},
                           Hint{"dynamic", "repetition"}, Hint{"measurement", "repetition"},
                           Hint{"spoke", "shot"},         Hint{"shot", "shot"},
                           Hint{"arm", "shot"},           Hint{"interleaf", "shot"},
                           Hint{"view", "shot"},          Hint{"projection", "shot"}};

/// The axis that the names of the arrays say; empty: none.
std::string stated_axis(const ArrayRoles& roles) {
  for (const std::string& name : {roles.data.name, roles.trajectory.name}) {
    for (const auto& [part, axis] : hints) {
      if (lower(name).find(part) != std::string::npos) return axis;
    }
  }
  return {};
}

/// One of the elements.
ArrayInfo one_element(ArrayInfo array) {
  array.extents.resize(array.extents.size() - array.element_axes);
  array.element_axes = 0;
  return array;
}

std::vector<Index> counts_of(const ArrayInfo& array) {
  return {array.extents.end() - static_cast<std::ptrdiff_t>(array.element_axes), array.extents.end()};
}

bool has_several(const ArrayInfo& array, const Names& axes, const char* axis) {
  for (std::size_t i = 0; i < std::min(axes.size(), array.extents.size()); ++i) {
    if (axes[i] == axis) return array.extents[i] > 1;
  }
  return false;
}

[[noreturn]] void ask(const ArrayRoles& roles, const std::string& file) {
  throw ValueError(fmt::format(
      "{}: the elements of data {} and trajectory {} may be coils, frames or readouts; name the axes by the "
      "options data-axes and trajectory-axes, those of the elements last",
      file, describe(roles.data), describe(roles.trajectory)));
}

/// Whether an element is one readout: without shots, and too short for an image of its own. `pixels` of the image, 0: not known.
bool is_one_readout(const ArrayInfo& element, Index pixels) {
  const auto many = std::ranges::count_if(element.extents, [](Index extent) { return extent != 1; });
  const Index longest = *std::ranges::max_element(element.extents);
  return many == (element.is_complex ? 1 : 2) && (pixels == 0 || longest < pixels);
}

/// Appends the name for an axis of elements that data and trajectory have.
void add_shared(const ArrayRoles& roles, Index pixels, const std::string& stated, AxisNames& names,
                std::string& doubt) {
  const bool is_readout = is_one_readout(one_element(roles.trajectory), pixels);
  std::string axis = stated;
  if (axis.empty() || axis == "coil") {
    axis = is_readout ? "shot" : "repetition";
    doubt = fmt::format(
        "Each of the {} elements of {} was taken for {}; the options data-axes and trajectory-axes name "
        "another axis.",
        counts_of(roles.data).back(), roles.data.name,
        is_readout ? "a readout of one image" : "an image of its own (a repetition)");
  }
  // Elements that are shots have no other axis of that name.
  for (Names* of : {&names.trajectory, &names.data}) {
    if (axis == "shot") std::ranges::replace(*of, std::string("shot"), fmt::format("unit {}", of->size() + 1));
    of->push_back(axis);
  }
}

/// Appends the name for an axis of elements that the data alone have.
void add_own(const ArrayRoles& roles, const std::string& stated, bool has_coils, AxisNames& names, std::string& doubt) {
  std::string axis = stated;
  if (axis.empty() || (has_coils && axis == "coil")) {
    axis = has_coils ? "repetition" : "coil";
    doubt = fmt::format("The {} elements of {} were taken for {}; the option data-axes names another axis.",
                        counts_of(roles.data).back(), roles.data.name, has_coils ? "repetitions" : "coils");
  }
  names.data.push_back(axis);
}

}  // namespace

std::optional<AxisNames> find_element_axes(const ArrayRoles& roles, Index pixels, const std::string& file,
                                           std::string& doubt) {
  const ArrayInfo& data = roles.data;
  const ArrayInfo& trajectory = roles.trajectory;
  if (data.element_axes == 0 && trajectory.element_axes == 0) return std::nullopt;
  std::optional<AxisNames> names = find_axes(one_element(trajectory), one_element(data));
  if (!names) return std::nullopt;
  const std::string stated = stated_axis(roles);
  const bool has_coils = has_several(one_element(data), names->data, "coil");
  std::vector<Index> own = counts_of(data);
  const std::vector<Index> shared = counts_of(trajectory);
  if (shared.size() > 1 || own.size() > shared.size() + 1) ask(roles, file);
  if (shared.empty()) {
    add_own(roles, stated, has_coils, *names, doubt);
    return names;
  }
  // One axis of a matrix of cells is that of the trajectory, and the other one the coils.
  const auto same = std::ranges::find(own, shared.front());
  const bool unclear =
      same == own.end() || std::ranges::count(own, shared.front()) > 1 || (own.size() > 1 && has_coils);
  if (unclear) ask(roles, file);
  const bool coils_last = own.size() > 1 && same == own.begin();
  if (own.size() > 1 && !coils_last) names->data.emplace_back("coil");
  add_shared(roles, pixels, stated, *names, doubt);
  if (coils_last) names->data.emplace_back("coil");
  return names;
}

}  // namespace whorl::io
