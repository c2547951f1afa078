#include "whorl/filter/pipeline_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "filter/src/pipeline/stages.hpp"
#include "kernels/repeat.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

class PipelinePlan::State {
 public:
  State(const Context& ctx, Pipeline pipeline, const ImageFormat& input)
      : ctx_(ctx), pipeline_(std::move(pipeline)), input_(input), output_(pipeline_.output(input)) {
    const DeviceKind device = ctx.device().kind;
    for (const filters::Stage& stage : filters::stages_of(pipeline_.filters(), input, device)) {
      stages_.emplace_back(ctx, stage);
    }
    for (std::size_t i = 0; i + 1 < stages_.size(); ++i) {
      // The image before the last one is free again and is reused if it has the right format.
      const bool again = i >= 2 && between_[i - 2]->format() == stages_[i].output();
      between_.push_back(again ? between_[i - 2] : std::make_shared<Image>(ctx, stages_[i].output()));
    }
    repeatable_ = std::all_of(stages_.begin(), stages_.end(), [](const auto& stage) { return stage.is_repeatable(); });
  }

  const ImageFormat& output() const { return output_; }

  void apply(const Image& input, Image& result) {
    if (&input == &result) {
      throw ValueError(
          "filter pipeline: the image is also the one for the result; the result needs an image of its own");
    }
    const std::scoped_lock lock(mutex_);
    check("the image", input, input_);
    check("the image for the result", result, output_);
    ctx_.check_cancel("filter pipeline");
    if (!repeatable_) {
      run(input, result);
      return;
    }
    if (raw_pixels(input) != from_ || raw_pixels(result) != to_) {
      from_ = raw_pixels(input);
      to_ = raw_pixels(result);
      work_ = kernels::make_repeatable(ctx_, [this] { run(*input_now_, *result_now_); });
    }
    input_now_ = &input;
    result_now_ = &result;
    work_();
  }

 private:
  void check(const char* what, const Image& image, const ImageFormat& format) const {
    if (image.format() != format) {
      throw ShapeError(
          fmt::format("filter pipeline: {} is {}, expected {}", what, to_string(image.format()), to_string(format)));
    }
    if (image.device() == ctx_.device()) return;
    throw DeviceError(fmt::format("filter pipeline: {} lies on {}, expected {}", what, to_string(image.device()),
                                  to_string(ctx_.device())));
  }

  void run(const Image& input, Image& result) const {
    if (stages_.empty()) copy(ctx_, input, result);
    const Image* from = &input;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Image& to = i + 1 == stages_.size() ? result : *between_[i];
      stages_[i].apply(ctx_, *from, to);
      from = &to;
    }
  }

  std::mutex mutex_;  // of the images between the passes, and of the record
  Context ctx_;
  Pipeline pipeline_;  // the stages refer to its filters
  ImageFormat input_;
  ImageFormat output_;
  std::vector<filters::BoundStage> stages_;
  std::vector<std::shared_ptr<Image>> between_;
  bool repeatable_ = false;
  // The recorded memory, and the images of the call: a new image may have the memory of a destroyed one.
  const void* from_ = nullptr;
  const void* to_ = nullptr;
  const Image* input_now_ = nullptr;
  Image* result_now_ = nullptr;
  std::function<void()> work_;
};

PipelinePlan::PipelinePlan(const Context& ctx, Pipeline pipeline, const ImageFormat& input)
    : state_(std::make_unique<State>(ctx, std::move(pipeline), input)) {}
PipelinePlan::~PipelinePlan() = default;
PipelinePlan::PipelinePlan(PipelinePlan&&) noexcept = default;
PipelinePlan& PipelinePlan::operator=(PipelinePlan&&) noexcept = default;

const ImageFormat& PipelinePlan::output() const { return state_->output(); }

void PipelinePlan::apply(const Image& input, Image& result) { state_->apply(input, result); }

}  // namespace whorl
