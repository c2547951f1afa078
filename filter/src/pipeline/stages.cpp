#include "filter/src/pipeline/stages.hpp"

namespace whorl::filters {

namespace {

// Gathers filters into stages. `pending_` are point operations that belong to no stage yet.
class Planner {
 public:
  Planner(const ImageFormat& input, std::optional<DeviceKind> device) : format_(input), device_(device) {}

  void add(const Filter& filter) {
    if (const auto* const points = dynamic_cast<const PointFilter*>(&filter)) {
      add_points(points->points(format_));
      return;
    }
    Stage stage;
    stage.filter = &filter;
    stage.statistic = dynamic_cast<const StatisticFilter*>(&filter);
    stage.fusing = dynamic_cast<const FusingFilter*>(&filter);
    stage.load = settle(stage.fusing);
    stage.input = stage.load ? load_input_ : format_;
    between_ = format_;
    format_ = stage.output = filter.output(format_);
    stages_.push_back(std::move(stage));
  }

  std::vector<Stage> finish() {
    settle(nullptr);
    return std::move(stages_);
  }

 private:
  void add_points(const PointProgram& points) {
    if (pending_ && pending_->size() + points.size() > kernels::most_point_steps) settle(nullptr);
    if (!pending_) {
      pending_.emplace(format_);
      load_input_ = format_;
    }
    pending_->then(points);
    format_ = points.output(format_);
  }

  // Finds a place for the pending operations: the previous stage, the next filter (they are then returned), or a pass
  // of their own.
  std::optional<PointProgram> settle(const FusingFilter* next) {
    std::optional<PointProgram> points = std::move(pending_);
    pending_.reset();
    if (!points || points->empty()) return std::nullopt;
    if (!stages_.empty() && !stages_.back().store && takes(stages_.back(), *points)) {
      stages_.back().store = std::move(points);
      stages_.back().output = format_;
      return std::nullopt;
    }
    if (fuses(next, format_, PointPlace::load, *points)) return points;
    stages_.push_back(pass_of_points(*std::move(points), load_input_, format_));
    return std::nullopt;
  }

  // `between_` is the input of the last filter.
  bool takes(const Stage& stage, const PointProgram& points) const {
    return stage.statistic != nullptr || fuses(stage.fusing, between_, PointPlace::store, points);
  }

  bool fuses(const FusingFilter* filter, const ImageFormat& input, PointPlace place, const PointProgram& points) const {
    return filter != nullptr && device_ && filter->can_fuse(*device_, input, place, points);
  }

  ImageFormat format_, between_, load_input_;
  std::optional<DeviceKind> device_;
  std::optional<PointProgram> pending_;
  std::vector<Stage> stages_;
};

}  // namespace

Stage pass_of_points(PointProgram points, const ImageFormat& input, const ImageFormat& output) {
  Stage stage;
  stage.load = std::move(points);
  stage.input = input;
  stage.output = output;
  return stage;
}

std::vector<Stage> stages_of(std::span<const std::shared_ptr<const Filter>> chain, const ImageFormat& input,
                             std::optional<DeviceKind> device) {
  Planner planner(input, device);
  for (const auto& filter : chain) planner.add(*filter);
  return planner.finish();
}

BoundStage::BoundStage(const Context& ctx, const Stage& stage) : stage_(stage) {
  if (stage.load) load_.emplace(ctx, *stage.load);
  if (stage.store && stage.statistic == nullptr) store_.emplace(ctx, *stage.store);
}

void BoundStage::apply(const Context& ctx, const Image& input, Image& result) const {
  ctx.check_cancel("filter pipeline");
  if (stage_.filter == nullptr && load_) {
    load_->apply(ctx, input, result);
  } else if (stage_.statistic != nullptr) {
    const std::unique_ptr<ImageStatistic> statistic = stage_.statistic->statistic(stage_.input);
    apply_points(ctx, learn(ctx, *statistic, input), stage_.store, input, result);
  } else if (load_ || store_) {
    const ImageFormat behind_load = stage_.load ? stage_.load->output(stage_.input) : stage_.input;
    const kernels::PointEnds ends{load_ ? &load_->code() : nullptr, store_ ? &store_->code() : nullptr};
    stage_.fusing->apply_with(ctx, behind_load, ends, input, result);
  } else {
    stage_.filter->apply(ctx, input, result);
  }
}

bool BoundStage::is_repeatable() const {
  return stage_.filter == nullptr || filters::is_repeatable(*stage_.filter, stage_.input);
}

void apply_points(const Context& ctx, PointProgram first, const std::optional<PointProgram>& second, const Image& input,
                  Image& result) {
  if (!second) {
    BoundPoints(ctx, first).apply(ctx, input, result);
  } else if (first.size() + second->size() <= kernels::most_point_steps) {
    first.then(*second);
    BoundPoints(ctx, first).apply(ctx, input, result);
  } else {
    Image between(ctx, first.output(input.format()));
    BoundPoints(ctx, first).apply(ctx, input, between);
    BoundPoints(ctx, *second).apply(ctx, between, result);
  }
}

}  // namespace whorl::filters
