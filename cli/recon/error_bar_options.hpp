// What a user may ask for beside the image: noise, g-factor, point spread, bias.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options/table_options.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::cli {

/// The files to write, empty where they are not asked for, and how.
struct ErrorBarRequest {
  std::string standard_deviation;
  std::string g_factor;
  std::string bias;
  std::string point_spread;
  std::vector<std::vector<Index>> points;  ///< x, y(, z)
  ErrorBarOptions options;                 ///< how; what is asked for is said by the files
};

/// `recon` says of which method they are.
void add_error_bar_options(App& app, ErrorBarRequest& request, const ReconOptions& recon);

/// Throws ValueError (a point with fewer or more numbers than the image has axes).
ErrorBarOptions error_bar_options(const ErrorBarRequest& request, const Scan& scan);

/// The options by name, for the record of a run; none where nothing was asked for.
Parameters describe(const ErrorBarOptions& options);

/// Images that belong into a file.
struct ErrorBarImages {
  std::string path;
  std::vector<ImageFrame> frames;
  Array<std::complex<float>> values;  ///< [frame, z, y, x]; no elements before the reconstruction
  std::string quantity{};             ///< of a map: what its colorbar says
};

/// What is going to be written for a scan, and what it was found to be. The point spreads are frames of their own, each
/// where the scan's first frame is.
std::vector<ErrorBarImages> error_bar_images(const ErrorBarRequest& request, const std::vector<ImageFrame>& frames);
std::vector<ErrorBarImages> error_bar_images(const Context& ctx, const ErrorBarRequest& request,
                                             const Reconstruction& result);

}  // namespace whorl::cli
