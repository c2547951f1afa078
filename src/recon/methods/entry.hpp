// Questions that the parts of a reconstruction shared by all methods ask of a method. Each method answers in its own file.
#pragma once

#include <memory>
#include <string_view>

#include "whorl/recon/options.hpp"

namespace whorl::recon {

class MemoryPlan;
class Method;
struct MemoryNeeds;
struct MemorySizes;
struct Tiles;
struct Workplace;

/// Case of a reconstruction that may spill: what decides it, beside the method.
struct SpillCase {
  const ReconOptions& options;
  int dim;          ///< of the images
  bool on_host;     ///< the device is the CPU
  bool error_bars;  ///< or a certificate: these work with the whole maps
  bool nufft;       ///< the transform is a NUFFT without factors of a signal

  /// Whether the normal operator is the transform's to make.
  bool makes_normal() const { return options.resources.normals == nullptr && !options.keep_normals; }
};

/// A method that the options can name.
struct MethodEntry {
  std::unique_ptr<Method> (*make)(Workplace& at);
  /// Adds the stages of the method to those that come before it, and sets how much it does at a time.
  void (*add_memory)(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);
  /// Throws where the options ask for what the method does not have.
  void (*check)(const Scan& scan, const ReconOptions& options);
  /// What it can do without on the device, beside samples and images.
  Tiles (*may_spill)(const SpillCase& of);
  /// Iterations at most, of an image.
  Index (*iterations)(const ReconOptions& options);

  bool grids;          ///< by density weights, without A^H A
  bool makes_maps;     ///< image and coil maps together, the frames of a slice one after another
  bool least_squares;  ///< with coil maps that are there before; several ranks may share the coils of a frame
  bool frames_apart;   ///< frames that are solved together have their own steps and ends
};

/// The only place that decides which method works.
const MethodEntry& method_of(const ReconOptions& options);

extern const MethodEntry gridding_method;
extern const MethodEntry cg_sense_method;
extern const MethodEntry regularized_method;
extern const MethodEntry nlinv_method;
extern const MethodEntry subspace_method;

/// Throws ValueError where the options have choices of least squares. `name`: the method that has none of them.
void refuse_least_squares(std::string_view name, const ReconOptions& options);

}  // namespace whorl::recon
