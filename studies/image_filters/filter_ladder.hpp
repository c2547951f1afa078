// One filter of the report: its versions on two pictures, and the library's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/cited.hpp"
#include "studies/device_limits.hpp"
#include "studies/image_filters/check.hpp"
#include "studies/image_filters/job.hpp"
#include "studies/results.hpp"

namespace whorl::studies::image_filters {

struct Subject {
  std::string name;
  std::string title;     ///< what it does, with its parameters
  std::string pipeline;  ///< the library's filter (Pipeline::parse)
  std::string library;   ///< what its row is called; empty: it does no such part alone
  Cited published{};     ///< what the report says of the filter; empty: nothing
  std::string error;     ///< what the check counts
  double tolerance = 0;  ///< of the check, for every version that is to have the same result, on a small picture
  double flops = 0;      ///< for a pixel of the result
  /// The versions for the context's device; they may prepare data outside the timing.
  std::function<std::vector<Step>(const Context&, const Job&)> steps;
  /// Checks against a picture on the host; of the job only the input is used.
  std::function<Check(const Context& host, const Job& job, const ImageFormat& result)> check;
};

/// All of them, in the order of the report.
std::vector<Subject> all_subjects();

Subject gaussian_ladder();
Subject sobel_ladder();
Subject identity_ladder();
Subject custom_ladder();
Subject convolved_ladder();
Subject unsharp_ladder();
Subject canny_ladder();
Subject thinning_ladder();
Subject hysteresis_ladder();
Subject gray_world_ladder();
Subject autocontrast_ladder();
Subject resize_ladder();
Subject median_ladder();

/// A picture on the device, a result, and what they are for the versions.
struct Bench {
  Bench(const Context& ctx, const Subject& subject, Index height, Index width);

  Image picture;
  Image result;
  Job job;
};

/// The subject's check for that picture.
Check check_of(const Context& ctx, const Subject& subject, const Bench& bench);

/// Climbs the ladder on a small picture and on one of size x size; adds the table, with the times of both, the picture
/// of the large one's, a note for each step that computes something else, and a row of the summary.
void add_filter(const Context& ctx, const Subject& subject, Index size, const DeviceLimits& limits, Results& results,
                Table& summary);

/// Climbs one step alone on a picture of size x size; adds the table and the picture. Throws ValueError (no such step).
void add_filter_step(const Context& ctx, const Subject& subject, Index size, const std::string& step, Results& results);

/// The columns of the summary.
Table empty_summary(Index size);

/// The claim that times are constant with the size of the picture: the first version and the library's filter from 256
/// x 256 pixels up to `size`, and their nanoseconds a pixel. Filters without a library's row are left out.
Table sizes_table(const Context& ctx, const std::vector<Subject>& subjects, Index size);

/// The report's small picture: its profile counts 656,096 pixels written, which is 808 x 812.
/// A large picture that is smaller bounds it.
constexpr Index small_width(Index size) { return size < 808 ? size : 808; }
constexpr Index small_height(Index size) { return size < 812 ? size : 812; }

}  // namespace whorl::studies::image_filters
