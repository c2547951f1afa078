// Runs of `whorl recon` as several processes, beside those of one.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Frames with trajectories of their own, so that each is solved by itself.
inline Scan turned(const Context& ctx, Scan scan) {
  for (std::size_t f = 0; f < scan.frames.size(); ++f) {
    const Trajectory& straight = *scan.frames[f].trajectory;
    auto moved = std::make_shared<Trajectory>();
    moved->points = Array<double>(ctx, straight.points.shape());
    moved->readout_length = straight.readout_length;
    for (Index i = 0; i < straight.points.size(); ++i) {
      moved->points.data()[i] = straight.points.data()[i] * (1 - 0.01 * static_cast<double>(f));
    }
    scan.frames[f].trajectory = std::move(moved);
  }
  return scan;
}

class Ranks : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "alike.h5");
    write_ismrmrd(ctx, turned(ctx, test::make_small_scan(ctx)), folder_ / "turned.h5");
    Scan single = test::make_small_scan(ctx);
    single.frames.resize(1);
    write_ismrmrd(ctx, single, folder_ / "single.h5");
  }

  Words recon(const std::string& scan, const std::string& output, const Words& more = {}) const {
    Words words{"recon", "-q", folder_ / scan, "-o", folder_ / output, "--complex", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static Words launch(int ranks, const Words& words) {
    Words all{"-n", std::to_string(ranks), WHORL_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  // Parts of the processes with command lines of their own.
  static test::ProcessResult run(const std::vector<Words>& parts) {
    Words all{WHORL_MPIEXEC, "--oversubscribe", "--allow-run-as-root"};
    for (const Words& part : parts) {
      if (&part != &parts.front()) all.emplace_back(":");
      all.insert(all.end(), part.begin(), part.end());
    }
    return test::run_process(all);
  }

  void expect_bits_of_one(const std::string& scan, const Words& options,
                          const std::vector<int>& counts = {2, 4}) const {
    test::expect_success(recon(scan, "one.npy", options));
    for (const int ranks : counts) {
      const test::ProcessResult result = run({launch(ranks, recon(scan, "ranks.npy", options))});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(test::read_file(folder_ / "ranks.npy"), test::read_file(folder_ / "one.npy")) << ranks << " ranks";
      fs::remove(folder_ / "ranks.npy");
    }
  }

  double difference(const std::string& name, const std::string& reference) const {
    const Context ctx;
    const auto read = [&](const std::string& file) {
      return converted<std::complex<float>>(ctx, read_array(ctx, folder_ / file).values, file);
    };
    const Array<std::complex<float>> a = read(name);
    const Array<std::complex<float>> b = read(reference);
    double error = 0;
    double size = 0;
    for (Index i = 0; i < b.size(); ++i) {
      error += std::norm(a.data()[i] - b.data()[i]);
      size += std::norm(b.data()[i]);
    }
    return std::sqrt(error / size);
  }

  test::TemporaryFolder folder_;
};

}  // namespace whorl
