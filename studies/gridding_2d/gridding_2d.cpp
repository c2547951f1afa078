#include "studies/gridding_2d/gridding_2d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "studies/gridding_2d/alone/reads.hpp"
#include "studies/gridding_2d/alone/steps.hpp"
#include "studies/gridding_2d/energy.hpp"
#include "studies/gridding_2d/images.hpp"
#include "studies/gridding_2d/ladders.hpp"
#include "studies/gridding_2d/listing.hpp"
#include "studies/gridding_2d/volume.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {

namespace {

using namespace gridding_2d;

class Gridding2d final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Gridding2d> table =
        OptionTable<Gridding2d>("gridding_2d")
            .integer("size", &Gridding2d::size_, {sector, 4096}, "",
                     fmt::format("Points of the grid along each axis, a multiple of {}", sector))
            .integer("samples", &Gridding2d::samples_, {1, most_samples}, "", "Samples, uniformly distributed")
            .integer("more-samples", &Gridding2d::more_samples_, {1, most_samples}, "",
                     "Most samples in the table of times over the number of samples")
            .integer("sector", &Gridding2d::side_, {8, 128}, "",
                     "Cells of a sector's side for the optimizations by themselves (the ladder: 32)")
            .integer("window", &Gridding2d::window_, {8, 16}, "",
                     "Cells that the window reaches over there, 8 or 16, as in the paper's listing (the ladder: 8)")
            .integer(
                "entries", &Gridding2d::entries_, {1, 32}, "",
                "Entries per cell of the window's table there; the listing's granularity of 0.5 is 2 (the ladder: 10)");
    return {this, &table};
  }

  Results run(const Context& ctx) override {
    const Extents grid = checked_grid();
    const Sizes sizes = checked_sizes(ctx);
    const Context host = ctx.host();
    const DeviceLimits limits = device_limits(ctx);
    Results results;
    results.parameters = {{"size", static_cast<double>(size_)},
                          {"samples", static_cast<double>(samples_)},
                          {"sector", static_cast<double>(side_)},
                          {"window", static_cast<double>(window_)},
                          {"entries", static_cast<double>(entries_)}};
    const Scan scan = uniform_scan(host, grid, samples_);
    {
      Trial trial(ctx, scan);
      add_gridding_ladder(trial, limits, results);
      results.tables.push_back(ways_table(trial));
      results.tables.push_back(window_table_of(trial));
      results.tables.push_back(baseline_table(trial));
    }
    add_single_optimizations(ctx, scan, sizes, results);
    results.tables.push_back(scans_table(ctx, more_scans(host, grid)));
    results.tables.push_back(accesses_table());
    results.tables.push_back(listing_table());
    results.tables.push_back(images_table(ctx, scans_of_images(host)));
    const int edge = std::clamp(static_cast<int>(size_) / volume_part, least_volume, most_volume);
    results.tables.push_back(volume_table(ctx, {edge, edge, edge}, std::min(samples_, paper_samples)));
    add_energy(ctx, grid, results);
    add_notes(results);
    return results;
  }

  Results run_step(const Context& ctx, const std::string& /*ladder*/, const std::string& step) override {
    const Scan scan = uniform_scan(ctx.host(), checked_grid(), samples_);
    Trial trial(ctx, scan);
    Results results;
    add_gridding_step(trial, device_limits(ctx), step, results);
    return results;
  }

 private:
  Extents checked_grid() const {
    if (size_ % sector != 0) {
      throw ValueError(fmt::format("gridding_2d: --size is {}, expected a multiple of {}", size_, sector));
    }
    return {static_cast<int>(size_), static_cast<int>(size_)};
  }

  static constexpr Index most_samples = Index{1} << 24;
  static constexpr Index paper_samples = 5000;
  static constexpr Index listing_samples = 8192;
  static constexpr int most_image_grid = 512;  // the exact transform of larger images takes minutes
  static constexpr int volume_part = 8;        // 3D grids have a side of an eighth
  static constexpr int least_volume = 16;
  static constexpr int most_volume = 128;

  /// Scans of the table over scans.
  std::vector<Scan> more_scans(const Context& host, const Extents& grid) const {
    std::vector<Scan> scans;
    if (listing_samples < more_samples_) scans.push_back(uniform_scan(host, grid, listing_samples));
    scans.push_back(uniform_scan(host, grid, more_samples_));
    scans.push_back(spiral_scan(host, grid));
    scans.push_back(radial_scan(host, grid));
    return scans;
  }

  std::vector<Scan> scans_of_images(const Context& host) const {
    const int edge = std::min(static_cast<int>(size_), most_image_grid);
    const Extents grid{edge, edge};
    std::vector<Scan> scans;
    scans.push_back(uniform_scan(host, grid, std::min(samples_, listing_samples)));
    scans.push_back(spiral_scan(host, grid));
    scans.push_back(radial_scan(host, grid));
    return scans;
  }

  void add_energy(const Context& ctx, const Extents& grid, Results& results) const {
    const Scan scan = uniform_scan(ctx.host(), grid, more_samples_);
    Trial trial(ctx, scan);
    if (auto table = energy_table(trial, results.notes)) results.tables.push_back(std::move(*table));
  }

  /// The sizes of the options. Throws ValueError
  Sizes checked_sizes(const Context& ctx) const {
    const Sizes sizes{static_cast<int>(window_), static_cast<int>(side_), static_cast<int>(entries_)};
    if (window_ != 8 && window_ != 16) {
      throw ValueError(fmt::format("gridding_2d: --window is {}, expected 8 or 16", window_));
    }
    if (side_ < window_) {
      throw ValueError(
          fmt::format("gridding_2d: --sector is {}, expected {} or more, the window's reach", side_, window_));
    }
    const Index rest = size_ % side_;
    if (rest != 0 && rest < window_ / 2) {
      throw ValueError(
          fmt::format("gridding_2d: sectors of {} leave {} of {} points, expected none, or half a window "
                      "of {} cells; choose another --sector",
                      side_, rest, size_, window_));
    }
    if (ctx.device().kind == DeviceKind::cuda && !fits_gpu(ctx, sizes)) {
      throw ValueError(
          fmt::format("gridding_2d: a tile of {0} x {0} complex numbers does not fit into the shared memory "
                      "of a block; choose a smaller --sector",
                      sizes.padded_side()));
    }
    return sizes;
  }

  /// Table 1 of the paper as it has it, the sizes that its text weighs, and its test of constant memory.
  void add_single_optimizations(const Context& ctx, const Scan& scan, const Sizes& sizes, Results& results) const {
    Trial trial(ctx, scan, best_b_of(sizes.window), sizes);
    results.tables.push_back(alone_table(trial));
    std::vector<Scan> scans;
    scans.push_back(scan);
    scans.push_back(uniform_scan(ctx.host(), scan.grid, more_samples_));
    // 32 x 32 with two blocks a multiprocessor against 48 x 48 with one; the listing's window and table.
    std::vector<SizeChoice> choices{{{8, 32, 10}, 2}, {{8, 48, 10}, 1}, {{8, 32, 10}, 0},  {{8, 48, 10}, 0},
                                    {{8, 64, 10}, 0}, {{8, 32, 2}, 0},  {{16, 32, 10}, 0}, {{16, 32, 2}, 0}};
    if (ctx.device().kind == DeviceKind::cpu) choices.erase(choices.begin(), choices.begin() + 2);
    choices.push_back({sizes, 0});
    std::erase_if(choices, [&](const SizeChoice& choice) {
      const Index rest = size_ % choice.sizes.side;
      return (rest != 0 && rest < choice.sizes.window / 2) || choice.sizes.padded_side() > size_;
    });
    results.tables.push_back(sizes_table(ctx, scans, choices));
    if (ctx.device().kind == DeviceKind::cuda) {
      results.tables.push_back(banks_table(ctx, scans));
      results.tables.push_back(reads_table(ctx));
    }
  }

  static void add_notes(Results& results) {
    results.notes.insert(
        results.notes.end(),
        {"Errors: relative l2, against double precision with the exact window, and with the window as the step looks "
         "it up, where roundings are all that is left",
         "Sector-driven steps and the library's gridding take samples that were sorted before, as in the paper",
         "Points that search all samples on a CPU: extrapolated from some points of the grid",
         "Published gains (table 1 there) are each on the naive kernel, of a GeForce 8800 GTX: they stand beside those "
         "of single optimizations; the ladder's add up"});
  }

  Index size_ = 512;
  Index samples_ = paper_samples;
  Index more_samples_ = 1000000;
  Index side_ = sector;
  Index window_ = width;
  Index entries_ = steps_per_cell;
};

constexpr const char* text =
    R"(Gregerson, "Implementing fast MRI gridding on GPUs via CUDA": samples are convolved with a Gaussian of 8 cells onto a
grid of k-space. The ladder of its table 1: a sample at a time with atomic sums in global memory; samples in shared
memory; aligned data, real and imaginary parts apart; the window from a table, 10 entries a cell; sectors of the grid
in shared memory, with padding that the host or the device adds; one, two, or more blocks a multiprocessor; the table
in constant or in shared memory. On a CPU: the steps that mean something there. Each is checked against double
precision; the library's gridding is the last row. Then each optimization alone on the first kernel, which is what the
paper's table 1 says, with sectors, windows and tables of other sizes (--sector, --window, --entries); the four ways to
divide the work; the copies that the listing times; constant memory, read at one and at random addresses; other
numbers of samples, a spiral and spokes; the image after inverse FFT and deapodization against the exact transform; and
what the paper leaves to others: three dimensions, an estimate of the distance instead of a root, energy of the GPU
(NVML) and of the CPU (RAPL).
Examples:
  whorl study gridding_2d
  whorl study gridding_2d --samples 8192 --window 16 --entries 2
                                        the sizes of the paper's listing
  whorl study gridding_2d --device cuda --size 1024 --samples 100000 -o results
                                        a grid that is larger, with tables and pictures as files)";

}  // namespace

Study gridding_2d_study() {
  return {"gridding_2d", "Gridding by every step of a paper's ladder: four ways to divide the work, tables, sectors",
          text, [] { return std::unique_ptr<Experiment>(std::make_unique<Gridding2d>()); }};
}

}  // namespace whorl::studies
