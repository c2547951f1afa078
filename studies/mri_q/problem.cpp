#include "studies/mri_q/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::studies::mri_q {

namespace {

constexpr std::array<const char*, 3> points_in_file{"kx", "ky", "kz"};
constexpr std::array<const char*, 3> places_in_file{"x", "y", "z"};

const NamedArray& named(std::span<const NamedArray> arrays, const char* name, const std::filesystem::path& path) {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& one) { return one.name == name; });
  if (found == arrays.end()) {
    throw ValueError(
        fmt::format("mri_q: '{}' has no array {}; expected an input of Parboil's mri-q: kx, ky, kz, x, y, z, phi",
                    path.string(), name));
  }
  check_finite(found->values, fmt::format("{}: {}", path.string(), name));
  return *found;
}

/// The first `count` numbers of three arrays of one length.
Array<float> planes(const Context& ctx, std::span<const NamedArray> arrays, const std::array<const char*, 3>& names,
                    Index count, const std::filesystem::path& path) {
  Array<float> result(ctx, {3, count});
  for (Index axis = 0; axis < 3; ++axis) {
    const char* const name = names[static_cast<std::size_t>(axis)];
    const auto numbers = converted<float>(ctx, named(arrays, name, path).values, name);
    if (numbers.size() < count) {
      throw ShapeError(
          fmt::format("mri_q: '{}': {} has {} numbers, expected {}", path.string(), name, numbers.size(), count));
    }
    std::copy_n(numbers.data(), count, result.data() + axis * count);
  }
  return result;
}

}  // namespace

Pointers pointers_of(const Problem& problem) {
  const Index samples = problem.samples();
  const Index voxels = problem.voxels();
  const float* const k = problem.k.data();
  const float* const r = problem.r.data();
  return {k, k + samples, k + 2 * samples, problem.phi.data(), r, r + voxels, r + 2 * voxels, samples, voxels};
}

Problem read_problem(const Context& ctx, const std::filesystem::path& path, Index most) {
  const std::vector<NamedArray> arrays = read_arrays(ctx, path);
  const auto phi = converted<Complex>(ctx, named(arrays, "phi", path).values, "phi");
  const Index samples = most == 0 ? phi.size() : std::min(most, phi.size());
  const Index voxels = shape_of(named(arrays, "x", path).values).size();
  Problem problem{planes(ctx, arrays, points_in_file, samples, path), Array<Complex>(ctx, {samples}),
                  planes(ctx, arrays, places_in_file, voxels, path)};
  std::copy_n(phi.data(), samples, problem.phi.data());
  return problem;
}

Array<float> read_q(const Context& ctx, const std::filesystem::path& path) {
  const auto q = converted<Complex>(ctx, read_array(ctx, path.string()).values, path.string());
  Array<float> parts(ctx, {2, q.size()});
  for (Index i = 0; i < q.size(); ++i) {
    parts.data()[i] = q.data()[i].real();
    parts.data()[q.size() + i] = q.data()[i].imag();
  }
  return parts;
}

Problem make_problem(const Context& ctx, Index size, Index samples) {
  constexpr std::uint64_t k_seed = 1;
  constexpr std::uint64_t phi_seed = 2;
  const Index voxels = size * size * size;
  Problem problem{Array<float>(ctx, {3, samples}), Array<Complex>(ctx, {samples}), Array<float>(ctx, {3, voxels})};
  const auto extent = static_cast<double>(size);
  for (Index i = 0; i < 3 * samples; ++i) {
    problem.k.data()[i] = static_cast<float>(extent * (random_uniform(k_seed, static_cast<std::uint64_t>(i)) - 0.5));
  }
  fill_random_normal<float>(problem.phi, phi_seed);
  const Index middle = size / 2;
  const auto place = [&](Index i) { return static_cast<float>(static_cast<double>(i - middle) / extent); };
  for (Index i = 0; i < voxels; ++i) {
    problem.r.data()[i] = place(i % size);
    problem.r.data()[voxels + i] = place(i / size % size);
    problem.r.data()[2 * voxels + i] = place(i / size / size);
  }
  return problem;
}

Problem with_voxels(const Context& ctx, const Problem& problem, Index count) {
  Problem part{clone<const float>(ctx, problem.k), clone<const Complex>(ctx, problem.phi),
               Array<float>(ctx, {3, count})};
  const Index voxels = problem.voxels();
  for (Index axis = 0; axis < 3; ++axis) {
    for (Index i = 0; i < count; ++i) {
      part.r.data()[axis * count + i] = problem.r.data()[axis * voxels + spread_voxel(i, count, voxels)];
    }
  }
  return part;
}

Problem on_device(const Context& ctx, const Problem& problem) {
  return {clone<const float>(ctx, problem.k), clone<const Complex>(ctx, problem.phi),
          clone<const float>(ctx, problem.r)};
}

}  // namespace whorl::studies::mri_q
