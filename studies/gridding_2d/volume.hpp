// Gridding in three dimensions, the paper's future work: 512 points per sample.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "studies/gridding_2d/window.hpp"
#include "studies/results.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::gridding_2d {

/// Cells of a cubic sector's side, and of it with all points that its samples reach: 32 KB of complex numbers.
inline constexpr int volume_sector = 8;
inline constexpr int volume_padded = volume_sector + width;
inline constexpr int volume_tile_points = volume_padded * volume_padded * volume_padded;

/// Periodic; the last sector of an axis has half a window of cells at least.
struct VolumeExtents {
  int z = 0;
  int y = 0;
  int x = 0;
  constexpr Index points() const { return Index{z} * y * x; }
  static constexpr int sectors_along(int extent) { return (extent + volume_sector - 1) / volume_sector; }
  constexpr int sectors() const { return sectors_along(z) * sectors_along(y) * sectors_along(x); }
};

struct VolumeSample {
  float x, y, z;
  float real, imag;
};

/// On the context's device.
struct VolumeProblem {
  VolumeExtents grid;
  double b = 0;
  Array<VolumeSample> samples;
  Array<VolumeSample> sorted;  ///< by sector
  Array<int> first;            ///< [sectors + 1]: of each sector's samples in sorted
  Array<float> table;
};

/// Uniformly distributed samples with random values, on the host.
std::vector<VolumeSample> volume_samples(const Context& ctx, VolumeExtents grid, Index samples);
VolumeProblem make_volume_problem(const Context& ctx, VolumeExtents grid, std::span<const VolumeSample> samples,
                                  double b);

/// A kernel of three dimensions, which leaves [z, y, x] on the device; the window exact or by the table of distances.
struct VolumeStep {
  std::string name;
  Lookup lookup = Lookup::exact;
  std::function<void(const Context&, const VolumeProblem&, ArrayRef<std::complex<float>>)> run;
  bool product = false;
};
std::vector<VolumeStep> cpu_volume_steps();
std::vector<VolumeStep> gpu_volume_steps();  ///< none where whorl is built without
std::vector<VolumeStep> volume_steps_on(const Context& ctx);
VolumeStep volume_product_step(const Context& ctx, VolumeExtents grid, std::span<const VolumeSample> samples);

/// The paper's optimizations in three dimensions: sectors whose tiles have a padding.
std::vector<VolumeStep> cpu_volume_sector_steps();
std::vector<VolumeStep> gpu_volume_sector_steps();  ///< none where whorl is built without
/// Adds the padded tiles of all sectors [sector, padded, padded, padded] into a grid on the host.
void add_volume_tiles(VolumeExtents extents, const std::complex<float>* tiles, int threads, std::complex<float>* grid);

/// The sum in double precision, [z, y, x] on the host.
Array<std::complex<double>> volume_reference(const Context& host, VolumeExtents grid,
                                             std::span<const VolumeSample> samples, double b, Lookup lookup);
/// Relative l2 error of a grid on the context's device.
double volume_error(const Context& ctx, ArrayRef<const std::complex<float>> grid,
                    const Array<std::complex<double>>& expected);

/// Input-driven kernels, sectors, and the library's gridding: times and errors.
Table volume_table(const Context& ctx, VolumeExtents grid, Index samples);

}  // namespace whorl::studies::gridding_2d
