// PipelinePlan: a pipeline prepared for images of one format.
#pragma once

#include <memory>

#include "whorl/filter/pipeline.hpp"

namespace WHORL_PUBLIC whorl {

/// Keeps what a pipeline needs on a context's device besides input and result: tables, and the images between its
/// passes. On a GPU, if no filter waits for the host, the second call with the same pair of images records the work,
/// and later calls repeat the record.
///
/// Threads  several may call apply; the calls run one after another, since they share the images between the passes
class PipelinePlan {
 public:
  /// The plan shares the pipeline's filters; the pipeline itself may be destroyed. Throws as Pipeline::output.
  PipelinePlan(const Context& ctx, Pipeline pipeline, const ImageFormat& input);
  ~PipelinePlan();
  PipelinePlan(PipelinePlan&&) noexcept;
  PipelinePlan& operator=(PipelinePlan&&) noexcept;

  const ImageFormat& output() const;
  /// As Pipeline::apply, into an image of the output's format that is not the input; both lie on the plan's device. It
  /// is fastest if input and result are those of the previous call.
  /// Throws  ShapeError (another format), ValueError (the input is the result), DeviceError (another device), Cancelled
  void apply(const Image& input, Image& result);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace whorl
