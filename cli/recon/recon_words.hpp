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
  bool joint = false;                   ///< all scans are one image
  std::string output;                   ///< the image
  std::vector<std::string> references;  ///< of --prior
  std::string support;                  ///< a word, or a file
  std::string filter;
  std::string report;  ///< the page of the run
  bool dry_run = false;
  ReconRequest request;  ///< but for what is above
};

}  // namespace whorl::cli
