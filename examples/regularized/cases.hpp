// Undersampled images and series with regularizers, each against its truth.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "whorl/phantom/phantom.hpp"
#include "whorl/plot/picture.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace regularized {

struct Settings {
  whorl::Index size = 128;   ///< pixels along each axis; of the series half of it
  whorl::Index coils = 4;    ///< of the phantoms
  whorl::Index frames = 20;  ///< of the series, and echoes
  double reduction = 4;      ///< spokes of a full image, pi / 2 times the size, over those that are measured
  double noise = 0.02;       ///< standard deviation of a sample's noise, where the object is about 1
  int iterations = 80;       ///< of each solve, at most
};

/// A line of the table: the best of the weights that were tried.
struct Row {
  std::string object;
  std::string method;  ///< with its weight, as whorl recon --regularize takes it
  double error = 0;    ///< of magnitudes against the truth after the best scaling, relative
  int iterations = 0;
  double seconds = 0;   ///< by the clock, of a second reconstruction with the best weight
  std::string other{};  ///< another measure, in words
};

/// A method and the images that it made.
struct Result {
  Row row;
  whorl::Array<float> magnitude;  ///< [frame, z, y, x]
};

struct Study {
  std::string name;  ///< of its picture
  std::vector<Row> rows;
  whorl::Picture picture;
};

/// The Shepp-Logan phantom and the brain phantom along golden-angle spokes.
Study still_images(const whorl::Context& ctx, const Settings& settings);
/// A beating ellipse and a contrast agent, with a few spokes for each frame.
Study moving_images(const whorl::Context& ctx, const Settings& settings);
/// Echoes that decay, with a few spokes for each echo: T2 maps.
Study echo_images(const whorl::Context& ctx, const Settings& settings);
/// A quarter of the arms of the liver spiral, and two of the six of the real-time spiral, against images of all arms.
Study measured_images(const whorl::Context& ctx, const Settings& settings, const std::filesystem::path& folder);

/// A table in Markdown, with the errors and times of each device: rows[i] are those of devices[i], of the same cases.
std::string table_of(const std::vector<std::string>& devices, const std::vector<std::vector<Row>>& rows);

/// What the measured part of k-space shows of an object, through the coils of a scan: the magnitude of its least squares
/// image [z, y, x] from more spokes than are needed, without noise.
whorl::Array<float> true_image(const whorl::Context& ctx, const Settings& settings, const whorl::Phantom& object,
                               whorl::Index size);
/// The scan with the coil maps of its phantom's coils.
whorl::Scan with_true_maps(const whorl::Context& ctx, whorl::Scan scan);

/// Options for scans that have their coil maps and noise of one level.
whorl::ReconOptions known_maps(const Settings& settings);

/// The images of a method for each of some weights, of which the one with the least error is kept. Without a name of a
/// regularizer the weight is lambda.
struct Candidates {
  std::string regularizer;  ///< "" or "tv:{}" with the place of the weight
  std::vector<double> weights;
};
using Reconstruct = std::function<whorl::Array<std::complex<float>>(const whorl::ReconOptions&, Row& row)>;
Result best_of(const whorl::Context& ctx, const std::string& object, const Candidates& candidates,
               const whorl::ReconOptions& options, const whorl::Array<float>& truth, const Reconstruct& reconstruct);

/// As `reconstruct` of best_of: of a scan, all frames.
Reconstruct of_scan(const whorl::Context& ctx, const whorl::Scan& scan);

/// A caption "name: error" below an image [y, x], where white is `high`.
whorl::Picture panel(const whorl::Context& ctx, const std::string& caption, whorl::ArrayRef<const float> image,
                     double high, whorl::Index zoom);
std::string caption_of(const Result& result);

}  // namespace regularized
