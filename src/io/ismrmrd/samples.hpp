// The samples and positions of acquisitions, brought to their frames.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/ismrmrd/plan.hpp"
#include "io/ismrmrd/source.hpp"
#include "whorl/core/array.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Acquisitions, and where they belong.
class SampleReader {
 public:
  /// Memory for the data of a frame (ScanReadOptions::data_memory).
  using Memory = std::function<Array<std::complex<float>>(const Shape& data, Index all_bytes)>;

  SampleReader(std::shared_ptr<const AcquisitionSource> file, std::vector<AcquisitionHead> heads, AcquisitionPlan plan,
               std::string source, Memory memory);

  const std::vector<AcquisitionHead>& heads() const { return heads_; }
  const AcquisitionPlan& plan() const { return plan_; }

  /// Reads the noise and what is asked for of each frame into the scan. Data that are not read have no samples. Returns the
  /// trajectory of every frame as stored [sample, column], without elements where it is not read. Throws IoError.
  std::vector<Array<float>> read(const Context& ctx, const std::vector<FrameRead>& parts, Scan& scan) const;

  /// The data of some frames, whose positions have been read. Throws IoError.
  std::vector<Array<std::complex<float>>> read_data(const Context& ctx, std::span<const Index> frames) const;

 private:
  std::vector<Array<std::complex<float>>> make_data(const Context& ctx, const std::vector<bool>& with_data) const;

  std::shared_ptr<const AcquisitionSource> file_;
  std::vector<AcquisitionHead> heads_;
  AcquisitionPlan plan_;
  std::string source_;
  Memory memory_;
};

}  // namespace whorl::io
