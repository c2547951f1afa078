// What `whorl recon` is asked for: the scan, the results and how they are made.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/recon/error_bar_options.hpp"
#include "cli/recon/frame_options.hpp"
#include "cli/recon/lambda_options.hpp"
#include "cli/recon/normal_options.hpp"
#include "cli/recon/prior_options.hpp"
#include "cli/recon/recon_options.hpp"
#include "cli/recon/regularizer_options.hpp"
#include "cli/recon/signal_options.hpp"
#include "cli/recon/subspace_options.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

/// Where the images of several scans go.
struct BatchRequest {
  std::string folder;            ///< empty: no batch
  std::string type = ".nii.gz";  ///< of the images
};

struct ReconRequest {
  std::vector<std::string> scans;  ///< that were given
  BatchRequest batch;
  std::string scan;  ///< the one to reconstruct, and its image
  std::string output;
  std::string png;
  std::string report;  ///< the page of the run
  bool complex = false;
  bool bids = false;
  MeasurementFacts facts;
  std::vector<double> window;
  Index tiles = 0;
  ScanReadOptions read;
  std::string maps_file;
  std::string saved_maps;
  std::string saved_sets;   ///< images of the sets of nlinv
  std::string saved_parts;  ///< of low-rank-sparse or ictv
  NormalFiles normal;
  FrameRequest frames;
  MovieRequest movie;
  SubspaceRequest subspace;
  double frame_interval_ms = 0;
  std::vector<std::string> references;
  std::string support;  ///< the file of --support; empty: none
  SignalFiles signal;
  PlaceOptions place;
  ReconOptions recon;
  LambdaOptions lambda;
  ErrorBarRequest error_bars;
  std::string filter;
  std::string checkpoint;        ///< folder; empty: none
  double checkpoint_every = 60;  ///< seconds from one state of the solver to the next
  bool dry_run = false;          ///< say what would be done

  /// What the format of the images is known by.
  const std::string& image_name() const { return batch.folder.empty() ? output : batch.type; }
  /// The files that are written beside the image, empty where they are not asked for.
  std::vector<std::string*> further_outputs();
};

/// What is asked as soon as it is known which files are written for an output. Throws where one may not be.
using CheckWritten = std::function<void(const std::string& output, std::span<const std::filesystem::path> files)>;

/// What a scan came to.
struct ReconResult {
  RunRecord record;
  Index frames = 0;
  int iterations = 0;   ///< the most of a frame
  double residual = 0;  ///< the largest at the end; 0: no solver
};

/// Reconstructs the request's scan, and writes all results and the record.
ReconResult reconstruct_file(ReconRequest request, const Session& session, const CheckWritten& check_written);

}  // namespace whorl::cli
