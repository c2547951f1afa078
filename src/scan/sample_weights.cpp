#include "whorl/scan/sample_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// Number of readouts of all frames; 0 where readouts have unequal lengths.
Index readouts_of(const Scan& scan) {
  Index readouts = 0;
  for (const ScanFrame& frame : scan.frames) {
    const Index length = frame.trajectory->readout_length;
    if (length < 1 || frame.trajectory->samples() % length != 0) return 0;
    readouts += frame.trajectory->samples() / length;
  }
  return readouts;
}

// Weights of a frame; `from` is moved behind them.
Array<float> weights_of(const Context& host, const ScanFrame& frame, bool of_readouts, const double*& from) {
  const Index samples = frame.trajectory->samples();
  const Index each = of_readouts ? frame.trajectory->readout_length : 1;
  Array<float> weights(host, {samples});
  for (Index j = 0; j < samples; ++j) weights.data()[j] = static_cast<float>(from[j / each]);
  from += samples / each;
  return weights;
}

void check_weights(ArrayRef<const double> weights) {
  for (Index i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights.data()[i]) && weights.data()[i] >= 0) continue;
    throw ValueError(fmt::format("sample weights: number {} is {:g}, expected 0 or more; 0 leaves its samples out", i,
                                 weights.data()[i]));
  }
}

std::string describe(ArrayRef<const double> weights, bool of_readouts) {
  double sum = 0;
  double squares = 0;
  for (const double w : weights.span()) {
    sum += w;
    squares += w * w;
  }
  const auto [low, high] = std::minmax_element(weights.span().begin(), weights.span().end());
  return fmt::format("Sample weights: {} {} of {:.3g} to {:.3g}, worth {:.1f} of equal weight ((sum w)^2 / sum w^2).",
                     weights.size(), of_readouts ? "readouts" : "samples", *low, *high, sum * sum / squares);
}

}  // namespace

const Array<float>* SampleWeights::of(const Trajectory& trajectory) const {
  const auto found = std::find_if(trajectories.begin(), trajectories.end(),
                                  [&](const auto& entry) { return entry.first.get() == &trajectory; });
  return found == trajectories.end() ? nullptr : &found->second;
}

std::shared_ptr<const SampleWeights> weigh_samples(const Context& ctx, Scan& scan, ArrayRef<const double> weights) {
  const Context host = ctx.host();
  const Index samples = scan.samples();
  const Index readouts = readouts_of(scan);
  const bool of_readouts = weights.size() == readouts;
  if (weights.size() == 0 || (!of_readouts && weights.size() != samples)) {
    throw ShapeError(fmt::format(
        "sample weights: {} numbers, expected {}one for each of the {} samples of the frames", weights.size(),
        readouts > 0
            ? fmt::format("one for each of the {} readouts of the frames that are reconstructed, or ", readouts)
            : "(readouts have unequal lengths) ",
        samples));
  }
  check_weights(weights);
  auto made = std::make_shared<SampleWeights>();
  std::vector<std::shared_ptr<const Trajectory>> given;  // in place of which those of `made` are
  const double* from = weights.data();
  for (std::size_t f = 0; f < scan.frames.size(); ++f) {
    ScanFrame& frame = scan.frames[f];
    Array<float> own = weights_of(host, frame, of_readouts, from);
    if (*std::max_element(own.span().begin(), own.span().end()) == 0) {
      throw ValueError(fmt::format("sample weights: all of frame {} are 0, expected some above 0", f));
    }
    std::size_t i = 0;
    const auto is_same = [&](std::size_t entry) {
      return given[entry] == frame.trajectory &&
             std::equal(own.span().begin(), own.span().end(), made->trajectories[entry].second.span().begin());
    };
    while (i < given.size() && !is_same(i)) ++i;
    if (i == given.size()) {
      const bool first = std::find(given.begin(), given.end(), frame.trajectory) == given.end();
      given.push_back(frame.trajectory);
      made->trajectories.emplace_back(
          first ? frame.trajectory
                : std::make_shared<const Trajectory>(
                      Trajectory{clone(host, frame.trajectory->points.ref()), frame.trajectory->readout_length}),
          std::move(own));
    }
    frame.trajectory = made->trajectories[i].first;
  }
  scan.notes.emplace_back(describe(weights, of_readouts));
  return made;
}

}  // namespace whorl
