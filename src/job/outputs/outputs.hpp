// Writing of the images of a reconstruction.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "whorl/io/image_writer.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/job/request.hpp"
#include "whorl/plot/overview.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::job {

/// Images that belong into a file.
struct NamedImages {
  std::string path;
  std::vector<ImageFrame> frames;
  Array<std::complex<float>> values;  ///< [frame, z, y, x]; no elements before the reconstruction
  std::string quantity{};             ///< of a map: what its colorbar says
};

/// `facts` of the measurement, and the time from frame to frame; 0: unknown.
ImageOptions image_options(const ReconOutputs& outputs, const MeasurementFacts& facts, double frame_interval_ms);
/// Options of the picture that comes with the images.
ImageOptions picture_options(const ReconOutputs& outputs, const MeasurementFacts& facts, double frame_interval_ms);

/// Options for these images as a picture (.png).
OverviewOptions overview_options(const ImageOptions& image, std::span<const ImageFrame> frames, const Shape& images);

/// Error bars that are written for these frames; `found`: what they are, null before the reconstruction. The point spreads are
/// frames of their own, each where the first frame is.
std::vector<NamedImages> error_bar_images(const Context& ctx, const ReconRequest& request,
                                          const std::vector<ImageFrame>& frames, const ErrorBars* found);

/// Checks for what writing would refuse, as far as the scan alone tells.
void check_outputs(const Context& ctx, const ReconRequest& request, const ImageOptions& image,
                   const ImageOptions& picture, const CheckWritten& check_written, const Scan& scan);

/// Whether somebody reads the facts of the header: sidecars, DICOM, and the concomitant field.
bool needs_facts(const ReconRequest& request);

/// Nothing where none was asked for.
void write_movie_of(const Context& ctx, const ReconOutputs& outputs, ArrayRef<const std::complex<float>> images,
                    std::vector<std::filesystem::path>& written);

/// Requests for error bars. Throws ValueError (a point with fewer or more numbers than the image has axes).
ErrorBarOptions error_bars_of(const ReconRequest& request, const Scan& scan);

}  // namespace whorl::job
