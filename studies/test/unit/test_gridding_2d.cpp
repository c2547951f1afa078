// The study of gridding on a plane: each kernel against the sum in double precision.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "studies/gridding_2d/alone/reads.hpp"
#include "studies/gridding_2d/alone/steps.hpp"
#include "studies/gridding_2d/images.hpp"
#include "studies/gridding_2d/ladders.hpp"
#include "studies/gridding_2d/listing.hpp"
#include "studies/gridding_2d/reference.hpp"
#include "studies/gridding_2d/volume.hpp"
#include "studies/power/nvml.hpp"
#include "studies/power/rapl.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/temporary_folder.hpp"

namespace whorl::studies::gridding_2d {
namespace {

using Wide = std::complex<double>;

constexpr Extents small{64, 96};

// Beside the reference: every point against every sample on the periodic plane, by distances alone.
Array<Wide> direct_sum(const Scan& scan, double b, Lookup lookup, const Sizes& sizes = {}) {
  const double half = sizes.window / 2.0;
  const Context host;
  Array<Wide> grid = zeros<Wide>(host, {scan.grid.y, scan.grid.x});
  const auto nearest = [&](double d, int extent) { return d - extent * std::floor((d + half) / extent); };
  for (int y = 0; y < scan.grid.y; ++y) {
    for (int x = 0; x < scan.grid.x; ++x) {
      for (const Sample& sample : scan.samples) {
        const double dy = nearest(y - double{sample.y}, scan.grid.y);
        const double dx = nearest(x - double{sample.x}, scan.grid.x);
        if (dy >= half || dx >= half) continue;
        grid.view<2>()(y, x) += window_value(lookup, b, static_cast<float>(dx), static_cast<float>(dy), sizes.entries) *
                                Wide(sample.real, sample.imag);
      }
    }
  }
  return grid;
}

// A scan with samples in the corners, on grid points, on the edges of sectors, and where they wrap.
Scan edge_scan(const Context& host) {
  Scan scan = uniform_scan(host, small, 300);
  for (const float y : {0.0F, 31.75F, 32.0F, 63.996F}) {
    for (const float x : {0.0F, 4.0F, 31.5F, 64.0F, 95.99F}) {
      scan.samples.push_back({sample_place(x, small.x), sample_place(y, small.y), x - 30, 2 * y + 1});
    }
  }
  return scan;
}

TEST(Gridding2d, ReferenceIsTheSumOverAllSamples) {
  const Context host;
  const Scan scan = edge_scan(host);
  for (const Lookup lookup : all_lookups) {
    // Sums of at most some dozens of terms in another order.
    EXPECT_LT(test::relative_error(reference_grid(host, scan, best_b, lookup), direct_sum(scan, best_b, lookup)), 1e-14)
        << name_of(lookup);
  }
}

// A value of the window is off by a rounding of the table's entry, by two in a product of entries, or by those of the
// exponent: at most 32/b = 19 times a rounding of eps/2 twice, and one of the exponential of 2 eps. A product and a sum
// round again, and errors of the n terms of a point add as sqrt(n), n some dozens at most: 19 eps + 2 eps + 8 eps.
constexpr double bound = 30 * std::numeric_limits<float>::epsilon();

// The library's window is right to 1e-6 of its peak (whorl/op/gridding.hpp), so that its 8 values along an axis are off
// by sqrt(8) 1e-6 at most, of a norm of sqrt(sum w^2) = (pi b / 2)^(1/4) = 1.28; the axes add.
double bound_of(bool product, int dim) { return product ? bound + dim * std::sqrt(8.0) / 1.28 * 1e-6 : bound; }

void check(const Context& ctx, const Scan& scan, const Step& step) {
  SCOPED_TRACE(step.name);
  Trial trial(ctx, scan);
  fill<float>(ctx, trial.grid(), 7);  // what lies there must not matter
  trial.run(step);
  EXPECT_LT(trial.error(step, step.lookup), bound_of(step.product, 2));
  // An error of nothing at all would pass everything: the estimate and the tables are not the exact window.
  if (step.lookup != Lookup::exact) {
    EXPECT_GT(trial.error(step, Lookup::exact), 1e-3);
    EXPECT_LT(trial.error(step, Lookup::exact), 0.1);
  }
}

TEST(Gridding2d, EveryStepOfTheDeviceIsTheSum) {
  const Context ctx = test::device_context();
  const Scan scan = edge_scan(ctx.host());
  std::vector<Step> steps = steps_on(ctx);
  ASSERT_GE(steps.size(), 7U);
  steps.push_back(product_step(ctx, scan));
  for (const Step& step : ways_on(ctx)) steps.push_back(step);
  for (const Step& step : lookups_on(ctx)) steps.push_back(step);
  for (const Step& step : steps) check(ctx, scan, step);
}

// Sectors that divide the grid and such that do not, one that is as large as an axis; the listing's window and table.
constexpr std::array<Sizes, 5> some_sizes{{{8, 32, 10}, {8, 48, 10}, {8, 64, 3}, {16, 32, 2}, {16, 40, 10}}};

TEST(Gridding2d, AccessesAreThePapersCount) {
  const Table table = accesses_table();
  ASSERT_EQ(table.rows.size(), 3U);
  // 3 * 5000 * 8^2 and 5000 + 512^2; for r^2 = n it is 3/2 of m^2.
  EXPECT_EQ(std::get<double>(table.rows[0][4]), 960000);
  EXPECT_EQ(std::get<double>(table.rows[0][5]), 267144);
  EXPECT_EQ(std::get<double>(table.rows[2][6]), 384);
  EXPECT_EQ(std::get<double>(table.rows[2][7]), 256);
}

TEST(Gridding2d, ListingsTableIsTwoPercentOff) {
  const Table table = listing_table();
  ASSERT_EQ(table.rows.size(), 4U);
  const auto error = [&](std::size_t row) { return std::get<double>(table.rows[row][2]); };
  // By 800 other samples in NumPy: 1.96, 0.62, 2.25 and 0.50 %. Errors have one sign, so that places matter little.
  EXPECT_NEAR(error(0), 1.96, 0.1);
  EXPECT_NEAR(error(1), 0.62, 0.1);
  EXPECT_NEAR(error(2), 2.25, 0.1);
  EXPECT_NEAR(error(3), 0.50, 0.1);
}

TEST(Gridding2d, EveryOptimizationAloneIsTheSum) {
  const Context ctx = test::device_context();
  const bool gpu = ctx.device().kind == DeviceKind::cuda;
  const Scan scan = edge_scan(ctx.host());
  for (const Sizes& sizes : some_sizes) {
    SCOPED_TRACE(testing::Message() << "window " << sizes.window << ", sector " << sizes.side);
    const double b = best_b_of(sizes.window);
    for (const Lookup lookup : {Lookup::exact, Lookup::distance}) {
      EXPECT_LT(
          test::relative_error(reference_grid(ctx.host(), scan, b, lookup, sizes), direct_sum(scan, b, lookup, sizes)),
          1e-14);
    }
    std::vector<Step> steps = gpu ? gpu_alone_steps() : cpu_alone_steps();
    ASSERT_GE(steps.size(), 5U);
    steps.push_back(gpu ? gpu_sector_step(0) : cpu_sector_step());
    if (gpu) {
      EXPECT_TRUE(fits_gpu(ctx, sizes));
      steps.push_back(gpu_sector_step(1));
      for (const Step& step : gpu_bank_steps()) steps.push_back(step);
    }
    Trial trial(ctx, scan, b, sizes);
    for (const Step& step : steps) {
      SCOPED_TRACE(step.name);
      fill<float>(ctx, trial.grid(), 7);
      trial.run(step);
      // As `bound`, with an exponent of 128 / 3.4 = 38 for a window of 16, and four times as many terms.
      EXPECT_LT(trial.error(step, step.lookup), 2 * bound);
      if (step.lookup != Lookup::exact) {
        EXPECT_GT(trial.error(step, Lookup::exact), 1e-3);
      }
    }
  }
}

TEST(Gridding2d, TheTablesOfSizesHaveARowForEachChoice) {
  const Context ctx = test::device_context();
  std::vector<Scan> scans;
  scans.push_back(edge_scan(ctx.host()));
  const std::array<SizeChoice, 2> choices{{{{8, 32, 10}, 0}, {{16, 32, 2}, 0}}};
  const Table table = sizes_table(ctx, scans, choices);
  ASSERT_EQ(table.rows.size(), 2U);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  Trial trial(ctx, scans.front());
  const Table alone = alone_table(trial);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(alone.rows.front()[2]));  // the first row gains nothing
  EXPECT_TRUE(std::holds_alternative<double>(alone.rows.back()[2]));
}

TEST(Gridding2d, AChainOfReadsEndsWhereItLeads) {
  const std::vector<int> chain = random_cycle();
  std::set<int> seen;
  int at = 0;
  for (int i = 0; i < chain_length; ++i) {
    seen.insert(at);
    at = chain[static_cast<std::size_t>(at)];
  }
  EXPECT_EQ(at, 0);
  EXPECT_EQ(static_cast<int>(seen.size()), chain_length);
  const Context ctx = test::device_context();
  if (ctx.device().kind == DeviceKind::cpu) GTEST_SKIP() << "constant memory is a GPU's";
  for (const ReadTimes& times : read_times_on_gpu(ctx)) {
    EXPECT_EQ(times.wrong, 0) << times.memory;
    EXPECT_GT(times.one_address, 1) << times.memory;
    EXPECT_GT(times.random_addresses, 1) << times.memory;
  }
}

TEST(Gridding2d, TheEnergyOfProcessorsIsThatOfAllPackages) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& zone, const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder / zone);
    std::ofstream(folder / (zone + "/" + name)) << text;
  };
  EXPECT_EQ(RaplMeter::open(folder / "missing"), nullptr);
  for (const char* const zone : {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0", "intel-rapl-mmio:0"}) {
    write(zone, "max_energy_range_uj", "10000000\n");
    write(zone, "energy_uj", "4000000\n");
  }
  const auto meter = RaplMeter::open(folder / ".");
  ASSERT_NE(meter, nullptr);
  EXPECT_EQ(meter->joules(), 0);
  write("intel-rapl:0", "energy_uj", "5500000\n");
  write("intel-rapl:0:0", "energy_uj", "9000000\n");  // a part of the package
  EXPECT_DOUBLE_EQ(meter->joules(), 1.5);
  write("intel-rapl:1", "energy_uj", "1000000\n");  // it has started again at 10 J
  EXPECT_DOUBLE_EQ(meter->joules(), 1.5 + 7);
}

TEST(Gridding2d, AFewSamplesLeaveTheRestZero) {
  const Context ctx = test::device_context();
  Scan scan{"one", small, {{sample_place(-0.25, small.x), sample_place(63.5, small.y), 1.5F, -2}}};
  for (const Step& step : steps_on(ctx)) {
    check(ctx, scan, step);
  }
}

TEST(Gridding2d, SamplesAreSortedBySector) {
  const Context ctx = test::device_context();
  const Scan scan = edge_scan(ctx.host());
  const Problem problem = make_problem(ctx, scan, best_b);
  const Array<Sample> sorted = to_host(ctx, problem.sorted.ref());
  const Array<int> first = to_host(ctx, problem.first.ref());
  ASSERT_EQ(first.size(), 7);
  ASSERT_EQ(first.data()[6], static_cast<int>(scan.samples.size()));
  double places = 0;
  for (int s = 0; s < 6; ++s) {
    for (int j = first.data()[s]; j < first.data()[s + 1]; ++j) {
      const Sample& sample = sorted.data()[j];
      EXPECT_EQ(static_cast<int>(sample.y) / 32, s / 3);
      EXPECT_EQ(static_cast<int>(sample.x) / 32, s % 3);
      places += double{sample.x} + 1000 * double{sample.y};
    }
  }
  // All of them: sums of multiples of 1/256 are exact.
  double expected = 0;
  for (const Sample& sample : scan.samples) expected += double{sample.x} + 1000 * double{sample.y};
  EXPECT_EQ(places, expected);
}

TEST(Gridding2d, PlacesAreMultiplesThatWrap) {
  EXPECT_EQ(sample_place(-0.25, 64), 63.75F);
  EXPECT_EQ(sample_place(63.999, 64), 0);  // rounds up to the end, which is the beginning
  EXPECT_EQ(sample_place(1.0 / 512 + 3, 64), 3 + 1.0F / 256);
  EXPECT_EQ(first_point(4), 0);
  EXPECT_EQ(first_point(4.25F), 1);
  EXPECT_EQ(first_point(0), -4);
}

// The midpoint rule is off by h^2/24 = 1e-5 times the slopes of the Gaussian at both ends, 2 * 4.7 * 8e-5: 8e-9.
TEST(Gridding2d, TransformOfTheWindowIsTheLibrarys) {
  const Window window(WindowKind::gaussian, width, 2);
  EXPECT_NEAR(window.value(2.5), window_value(Lookup::exact, best_b, 1.5F, 2), 1e-15);
  for (const double f : {0.0, 0.1, 0.25}) EXPECT_NEAR(window_transform(best_b, f), window.transform(f), 2e-8);
}

// The window's error along an axis is its root mean square over the field of view; two axes add as squares. Random
// data spread an image's energy over all pixels, whose share of the error varies: a factor of 2 holds it.
TEST(Gridding2d, ImagesAreTheExactTransform) {
  const Context ctx = test::device_context();
  const Scan scan = edge_scan(ctx.host());
  const auto exact = exact_image(ctx, scan);
  ASSERT_EQ(exact.shape(), Shape({32, 48}));
  const Window window(WindowKind::gaussian, width, 2);
  const double one_axis = window.error(48);
  std::vector<Step> steps{lookups_on(ctx).front(), product_step(ctx, scan)};
  for (const Step& step : steps) {
    SCOPED_TRACE(step.name);
    Trial trial(ctx, scan);
    Imaging imaging(ctx, small, best_b);
    trial.run(step);
    imaging.run(trial.grid(), step.layout);
    EXPECT_LT(test::relative_error(to_host(ctx, imaging.image().ref()), exact), 2 * std::sqrt(2.0) * one_axis);
  }
  const std::vector<Scan> scans = [&] {
    std::vector<Scan> one;
    one.push_back(scan);
    return one;
  }();
  const Table table = images_table(ctx, scans);
  ASSERT_EQ(table.rows.size(), 10U);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
}

TEST(Gridding2d, VolumesAreTheSum) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  constexpr VolumeExtents grid{16, 24, 20};
  std::vector<VolumeSample> scan = volume_samples(host, grid, 40);
  scan.push_back({0, 23.75F, 15.5F, 2, -3});
  const auto nearest = [](double d, int extent) { return d - extent * std::floor((d + width / 2) / extent); };
  Array<Wide> exact = zeros<Wide>(host, {grid.z, grid.y, grid.x});
  for (int z = 0; z < grid.z; ++z) {
    for (int y = 0; y < grid.y; ++y) {
      for (int x = 0; x < grid.x; ++x) {
        for (const VolumeSample& sample : scan) {
          const double dz = nearest(z - double{sample.z}, grid.z);
          const double dy = nearest(y - double{sample.y}, grid.y);
          const double dx = nearest(x - double{sample.x}, grid.x);
          if (dz >= width / 2 || dy >= width / 2 || dx >= width / 2) continue;
          exact.view<3>()(z, y, x) +=
              std::exp(-(dx * dx + dy * dy + dz * dz) / best_b) * Wide(sample.real, sample.imag);
        }
      }
    }
  }
  EXPECT_LT(test::relative_error(volume_reference(host, grid, scan, best_b, Lookup::exact), exact), 1e-14);
  const VolumeProblem problem = make_volume_problem(ctx, grid, scan, best_b);
  std::vector<VolumeStep> steps = volume_steps_on(ctx);
  steps.push_back(volume_product_step(ctx, grid, scan));
  ASSERT_EQ(steps.size(), 6U);
  for (const VolumeStep& step : steps) {
    SCOPED_TRACE(step.name);
    Array<std::complex<float>> result(ctx, exact.shape());
    step.run(ctx, problem, result);
    EXPECT_LT(volume_error(ctx, result, volume_reference(host, grid, scan, best_b, step.lookup)),
              bound_of(step.product, 3));
    if (step.lookup != Lookup::exact) {
      EXPECT_GT(volume_error(ctx, result, exact), 1e-3);
    }
  }
}

TEST(Gridding2d, EnergyIsThatOfAGpuOrNone) {
  EXPECT_EQ(EnergyMeter::open(""), nullptr);
  EXPECT_EQ(EnergyMeter::open("nowhere"), nullptr);
  const Context ctx = test::device_context();
  const std::string id = pci_bus_id(ctx);
  EXPECT_EQ(id.empty(), ctx.device().kind == DeviceKind::cpu);
  const auto meter = EnergyMeter::open(id);
  if (!meter) GTEST_SKIP() << "no GPU, or no NVML";
  const double joules = meter->joules();
  EXPECT_GT(joules, 0);
  EXPECT_GE(meter->joules(), joules);
}

}  // namespace
}  // namespace whorl::studies::gridding_2d
