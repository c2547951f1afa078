#include "filter/pipeline/stages.hpp"

namespace whorl::filters {

namespace {

// Gathers filters into stages. `pending_` are point operations that no stage has yet.
class Planner {
 public:
  Planner(const ImageFormat& input, std::optional<DeviceKind> device) : format_(input), device_(device) {}

  void add(const Filter& filter) {
    if (std::optional<PointProgram> points = Hooks::points(filter, format_)) {
      add_points(*points);
      return;
    }
    Stage stage;
    stage.filter = &filter;
    stage.learns = Hooks::statistic(filter, format_) != nullptr;
    stage.load = settle(stage.learns ? nullptr : &filter);
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

  // Finds a place for what is pending: in the stage before, in the filter that comes next (then it is returned), or in
  // a pass of its own.
  std::optional<PointProgram> settle(const Filter* next) {
    std::optional<PointProgram> points = std::move(pending_);
    pending_.reset();
    if (!points || points->empty()) return std::nullopt;
    if (!stages_.empty() && stages_.back().filter != nullptr && !stages_.back().store &&
        takes(stages_.back(), *points)) {
      stages_.back().store = std::move(points);
      stages_.back().output = format_;
      return std::nullopt;
    }
    if (next != nullptr && device_ && Hooks::fuses(*next, *device_, format_, PointPlace::load, *points)) return points;
    stages_.push_back({nullptr, false, std::move(points), std::nullopt, load_input_, format_});
    return std::nullopt;
  }

  // `between_` is the input of the last filter.
  bool takes(const Stage& stage, const PointProgram& points) const {
    if (stage.learns) return true;
    return device_ && Hooks::fuses(*stage.filter, *device_, between_, PointPlace::store, points);
  }

  ImageFormat format_, between_, load_input_;
  std::optional<DeviceKind> device_;
  std::optional<PointProgram> pending_;
  std::vector<Stage> stages_;
};

}  // namespace

std::vector<Stage> stages_of(std::span<const std::unique_ptr<Filter>> chain, const ImageFormat& input,
                             std::optional<DeviceKind> device) {
  Planner planner(input, device);
  for (const auto& filter : chain) planner.add(*filter);
  return planner.finish();
}

BoundStage::BoundStage(const Context& ctx, const Stage& stage) : stage_(stage) {
  if (stage.load) load_.emplace(ctx, *stage.load);
  if (stage.store && !stage.learns) store_.emplace(ctx, *stage.store);
}

void BoundStage::apply(const Context& ctx, const Image& input, Image& result) const {
  ctx.check_cancel("filter pipeline");
  if (stage_.filter == nullptr && load_) {
    load_->apply(ctx, input, result);
  } else if (stage_.learns) {
    const std::unique_ptr<ImageStatistic> statistic = Hooks::statistic(*stage_.filter, stage_.input);
    apply_points(ctx, learn(ctx, *statistic, input), stage_.store, input, result);
  } else if (load_ || store_) {
    const FusedPoints points{load_ ? &*load_ : nullptr, store_ ? &*store_ : nullptr,
                             stage_.load ? stage_.load->output(stage_.input) : stage_.input};
    Hooks::apply_fused(*stage_.filter, ctx, input, points, result);
  } else {
    stage_.filter->apply(ctx, input, result);
  }
}

bool BoundStage::is_repeatable() const {
  return stage_.filter == nullptr || (!stage_.learns && Hooks::is_repeatable(*stage_.filter, stage_.input));
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
