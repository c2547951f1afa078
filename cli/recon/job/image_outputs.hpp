// How the images of a reconstruction are written.
#pragma once

#include <memory>

#include "cli/recon/recon_request.hpp"
#include "whorl/io/image_series_writer.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/plot/overview.hpp"

namespace whorl::cli {

ImageOptions image_options(const ReconRequest& request);
/// Options of the picture that comes with the images (--png).
ImageOptions picture_options(const ReconRequest& request);

/// How these images are shown as a picture (.png).
OverviewOptions overview_options(const ImageOptions& image, std::span<const ImageFrame> frames, const Shape& images);

/// What writing would refuse, and is known with the scan alone.
void check_outputs(const ReconRequest& request, const CheckWritten& check_written, const Scan& scan);

/// Whether somebody reads the facts of the header: sidecars, DICOM, and the concomitant field.
bool needs_facts(const ReconRequest& request);

/// The image, written while later frames are solved.
std::unique_ptr<ImageSeriesWriter> open_stream(const ReconRequest& request, const Session& session, const Scan& scan);

}  // namespace whorl::cli
