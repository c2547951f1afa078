// What `whorl phantom` makes, and of what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/core/view.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::cli {

struct PhantomOptions {
  std::string name;
  std::string trajectory;
  std::string output;
  std::vector<Index> matrix;
  std::vector<double> field_of_view_mm;
  ScanReadOptions read;
  // Which phantom.
  std::string contrast = "modified";
  std::vector<double> line_widths;
  std::string line_unit = "pixel";
  // The measurement.
  Index coils = 8;
  double noise = 0;
  double snr = 0;
  std::string noise_covariance;
  double noise_correlation = 0;
  Index noise_samples = 4096;
  std::uint64_t seed = 1;
  int evolve = 0;
  double echo_time_ms = 0;
  std::vector<double> echo_times_ms;
  // The motion.
  std::string motion;
  std::vector<double> drift;
  std::string poses;
  double readout_interval_ms = 0;
  // Images.
  std::string truth;
  std::string object;
  std::string maps;
  std::string field_map;
  std::string r2_star_map;
};

/// The phantoms that change with time, and with echo time.
bool is_beating(const PhantomOptions& options);
bool is_t2(const PhantomOptions& options);

void add_phantom_options(App& app, PhantomOptions& options);

}  // namespace whorl::cli
