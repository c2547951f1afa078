// Replicas of the scan through every reconstruction, and the results for each tissue.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "methods.hpp"
#include "regions.hpp"

namespace sodium {

struct StudySettings {
  ScanSettings scan;
  ReconSettings recon;
  int replicas = 10;     ///< scans that differ by their noise
  int predictions = 10;  ///< replicas of pure noise for the library's prediction of the standard deviation
};

/// Results for a tissue in the images of a method, over replicas and voxels.
struct TissueResult {
  const PureRegion* region = nullptr;
  double mean = 0;                ///< mmol/L
  double standard_deviation = 0;  ///< of a voxel over the replicas: root of the mean variance
  double predicted = 0;           ///< the same from the library's error bars; 0 if there are none
  double covered = 0;             ///< part of voxels and replicas within one predicted standard deviation of the truth
  double covered_mean = 0;        ///< and of the mean over all replicas
  double covered_by_bar = 0;      ///< part within the library's error bar of the truth
  double covered_by_bound = 0;    ///< and within its bound, which is one of 95 %

  double bias() const { return mean - region->truth; }
};

struct MethodResult {
  std::string name;
  whorl::Array<float> first;               ///< concentrations of the first replica [z, y, x]
  whorl::Array<float> mean;                ///< over the replicas
  whorl::Array<float> standard_deviation;  ///< over the replicas
  whorl::Array<float> predicted;           ///< by the library; no elements for gridding
  whorl::Array<float> truth_bar;           ///< by the library, for the first replica; no elements for gridding
  whorl::Array<float> truth_bound;         ///< and its bound
  std::vector<TissueResult> tissues;
};

struct Study {
  Head head;
  whorl::Array<float> truth;   ///< [z, y, x], mmol/L
  whorl::Array<float> proton;  ///< on the grid of the sodium
  Regions regions;
  std::vector<MethodResult> methods;
  std::vector<std::string> facts;  ///< sentences: the measurement and the choices
};

/// Runs everything. The proton image is written to the folder at twice the resolution and read from there.
Study run_study(const whorl::Context& ctx, const StudySettings& settings, const std::filesystem::path& folder);

}  // namespace sodium
