// The command line of `whorl recon`: the words that become a request.
#pragma once

#include <string>
#include <vector>

#include "whorl/job/request.hpp"

namespace whorl::cli {

/// Where the images of several scans go.
struct BatchWords {
  std::string folder;            ///< empty: no batch
  std::string type = ".nii.gz";  ///< of the images
};

struct ReconWords {
  std::vector<std::string> scans;
  BatchWords batch;
  std::vector<std::string> references;  ///< of --prior
  std::string support;                  ///< a word, or a file
  std::string filter;
  std::string report;  ///< the page of the run
  bool dry_run = false;
  ReconRequest request;  ///< but for what is above

  /// What the format of the images is known by.
  const std::string& image_name() const { return batch.folder.empty() ? request.outputs.image : batch.type; }
};

}  // namespace whorl::cli
