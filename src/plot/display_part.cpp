#include "whorl/plot/display_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

template <class Enum>
struct PartName {
  std::string_view text;
  Enum value;
};

template <class PartNames>
std::string list_of(const PartNames& names) {
  std::string list;
  for (const auto& name : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", name.text);
  return list;
}

template <class PartNames>
auto value_of(const char* what, const PartNames& names, std::string_view text) {
  for (const auto& name : names) {
    if (name.text == text) return name.value;
  }
  throw ValueError(fmt::format("{}: '{}' is not known; expected one of {}", what, text, list_of(names)));
}

constexpr std::array display_parts{
    PartName<DisplayPart>{"magnitude", DisplayPart::magnitude}, PartName<DisplayPart>{"phase", DisplayPart::phase},
    PartName<DisplayPart>{"real", DisplayPart::real}, PartName<DisplayPart>{"imag", DisplayPart::imaginary}};

double part_of(std::complex<double> value, DisplayPart part) {
  switch (part) {
    case DisplayPart::phase:
      return std::arg(value);
    case DisplayPart::real:
      return value.real();
    case DisplayPart::imaginary:
      return value.imag();
    default:
      return std::abs(value);
  }
}

void check_fits_float(double largest) {
  using Limits = std::numeric_limits<float>;
  if (largest == 0 || (largest >= Limits::min() && largest <= Limits::max())) return;
  throw ValueError(
      fmt::format("picture: the array has values up to {:.1e}, and float32 holds {:.1e} to {:.1e}; multiply it by a "
                  "power of ten first",
                  largest, Limits::min(), Limits::max()));
}

}  // namespace

DisplayPart display_part_from_string(std::string_view name) { return value_of("part", display_parts, name); }

std::string display_part_names() { return list_of(display_parts); }

Array<float> display_part(const Context& ctx, const AnyArray& values, DisplayPart part) {
  return std::visit(
      [&](const auto& array) {
        Array<float> result(ctx, array.shape());
        double largest = 0;
        std::transform(array.span().begin(), array.span().end(), result.span().begin(), [&](auto value) {
          const double shown = part_of(std::complex<double>(value), part);
          if (std::isfinite(shown)) largest = std::max(largest, std::abs(shown));
          return static_cast<float>(shown);
        });
        check_fits_float(largest);
        return result;
      },
      values);
}

SliceAxis slice_axis_from_string(std::string_view name) {
  constexpr std::array names{
      PartName<SliceAxis>{"axial", SliceAxis::axial},       PartName<SliceAxis>{"z", SliceAxis::axial},
      PartName<SliceAxis>{"coronal", SliceAxis::coronal},   PartName<SliceAxis>{"y", SliceAxis::coronal},
      PartName<SliceAxis>{"sagittal", SliceAxis::sagittal}, PartName<SliceAxis>{"x", SliceAxis::sagittal}};
  return value_of("axis", names, name);
}

Array<float> cut_slices(const Context& ctx, ArrayRef<const float> volumes, SliceAxis axis,
                        std::span<const Index> slices) {
  if (volumes.rank() < 2 || volumes.size() == 0) {
    throw ShapeError(fmt::format("slices: expected images [..., z, y, x] or [y, x] with at least one pixel, got {}",
                                 to_string(volumes.shape())));
  }
  const Index nx = volumes.extent(-1);
  const Index ny = volumes.extent(-2);
  const Index nz = volumes.rank() > 2 ? volumes.extent(-3) : 1;
  const Index count = volumes.size() / (nx * ny * nz);
  // Extent and stride of the slice axis, of rows and of columns; z runs upward.
  struct Step {
    Index extent;
    Index stride;
  };
  const Step x{nx, 1};
  const Step y{ny, nx};
  const Step z{nz, nx * ny};
  const Step upward{nz, -nx * ny};
  const Step across = axis == SliceAxis::axial ? z : axis == SliceAxis::coronal ? y : x;
  const Step row = axis == SliceAxis::axial ? y : upward;
  const Step column = axis == SliceAxis::sagittal ? y : x;

  std::vector<Index> wanted(slices.begin(), slices.end());
  if (wanted.empty()) {
    wanted.resize(static_cast<std::size_t>(across.extent));
    std::iota(wanted.begin(), wanted.end(), Index{0});
  }
  for (const Index slice : wanted) {
    if (slice < 0 || slice >= across.extent) {
      throw ValueError(fmt::format("slices: there is no slice {}; expected 0 to {}", slice, across.extent - 1));
    }
  }
  Array<float> result(ctx, {count, static_cast<Index>(wanted.size()), row.extent, column.extent});
  const auto out = result.view<4>();
  const Index first_row = row.stride < 0 ? (row.extent - 1) * -row.stride : 0;
  for (Index volume = 0; volume < count; ++volume) {
    for (Index s = 0; s < out.extent(1); ++s) {
      const float* start =
          volumes.data() + volume * nx * ny * nz + first_row + wanted[static_cast<std::size_t>(s)] * across.stride;
      for (Index i = 0; i < row.extent; ++i) {
        for (Index j = 0; j < column.extent; ++j) out(volume, s, i, j) = start[i * row.stride + j * column.stride];
      }
    }
  }
  return result;
}

}  // namespace whorl
