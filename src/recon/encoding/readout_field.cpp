#include "whorl/recon/readout_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "calib/smooth_maps.hpp"
#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/field_of_view.hpp"
#include "recon/prepare.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/evolution_factors.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

constexpr double held_out_part = 0.1;
constexpr double lambda = 1e-3;      // of the image, for an encoding of norm 1
constexpr double first_beta = 1e-3;  // of the field, for data of norm 1 and a field in turns
constexpr double detail = 0.4;       // weights (1 + detail |cycles per field of view|^2)^(-order / 2)
constexpr double order = 8;
constexpr double period = 1.25;
constexpr int image_iterations = 20;
constexpr double factor_tolerance = 1e-3;
constexpr double least_significance = 4;
constexpr double least_gain = 0.01;  // of the error of the held out samples

void keep_real(const Context& ctx, Array<Complex>& values) {
  Array<Complex> here = to_host<Complex>(ctx, values);
  for (Complex& value : here.span()) value = value.real();
  copy<Complex>(ctx, here, values);
}

// Image x and field of one readout, given its encoding without a field.
class Focus {
 public:
  Focus(const Context& ctx, Operator<float> encoding, ArrayRef<const Complex> data, const Array<double>& times,
        const ReadoutFieldOptions& options)
      : ctx_(ctx),
        encoding_(std::move(encoding)),
        data_(clone<Complex>(ctx, data)),
        times_(times),
        options_(options),
        smooth_(ctx, encoding_->domain(), smoothness(encoding_->domain())),
        image_(zeros<Complex>(ctx, encoding_->domain())),
        coefficients_(zeros<Complex>(ctx, smooth_.box().with_front(1))) {
    const double size = norm<float>(ctx, data_);
    if (!(size > 0)) throw ValueError("field from readout: all data are zero");
    axpby<float>(ctx, 1 / size, data_, 0, data_);
    const auto [first, last] = std::minmax_element(times.span().begin(), times.span().end());
    first_ = *first;
    span_ = *last - *first;
    if (!(span_ > 0)) throw ValueError("field from readout: all samples have one time, expected readouts that last");
    for (Index j = 0; j < times.size(); ++j) {
      held_out_.push_back(random_uniform(held_out_seed, static_cast<std::uint64_t>(j)) < held_out_part ? 1 : 0);
    }
    for (const Index extent : encoding_->domain()) scale_ *= period * static_cast<double>(extent);
    scale_ = std::sqrt(scale_);
    eigenvalue_ = normal_eigenvalue<float>(ctx, *encoding_);
  }

  // Energy of what each held out sample has beyond the prediction, all coils together.
  std::vector<double> held_out_errors() {
    const Model model = model_of(1, false);
    solve_image(model);
    const Model whole = model_of(1, true);
    Array<Complex> left(ctx_, encoding_->range());
    whole.encoding->forward(ctx_, image_, left);
    axpby<float>(ctx_, 1, data_, -1, left);
    return energies(left);
  }

  std::vector<double> held_out_energies() const { return energies(data_); }

  void step(int number) {
    constexpr std::array<double, 2> first_parts{0.3, 0.6};
    const auto n = static_cast<std::size_t>(number);
    const Model model = model_of(n < first_parts.size() ? first_parts[n] : 1, false);
    solve_image(model);
    const double beta = first_beta * std::pow(0.5, number);
    Array<Complex> here = image_.share();
    here.reshape(image_.shape().with_front(1));
    const Sense<float> product(std::move(here));  // with x, elementwise
    const Index unknowns = image_.size() + coefficients_.size();
    Array<Complex> left(ctx_, encoding_->range());
    model.encoding->forward(ctx_, image_, left);
    const Array<Complex> kept = kept_data(model);
    axpby<float>(ctx_, 1, kept, -1, left);
    Array<Complex> right(ctx_, {unknowns});
    adjoint(model, product, left, right);
    axpby<float>(ctx_, -lambda * std::sqrt(eigenvalue_), image_, 1, image_in(right));
    axpby<float>(ctx_, -beta, coefficients_.ref().reshape({coefficients_.size()}), 1, field_in(right));
    Array<Complex> change = zeros<Complex>(ctx_, {unknowns});
    conjugate_gradient<float>(ctx_,
                              [&](const Context&, ArrayRef<const Complex> v, ArrayRef<Complex> z) {
                                derivative(model, product, v, left);
                                adjoint(model, product, left, z);
                                axpby<float>(ctx_, lambda, image_in(v), 1, image_in(z));
                                axpby<float>(ctx_, beta, field_in(v), 1, field_in(z));
                              },
                              right, change, {.iterations = options_.iterations, .tolerance = 1e-4});
    axpby<float>(ctx_, 1 / std::sqrt(eigenvalue_), image_in(change.ref()), 1, image_);
    axpby<float>(ctx_, 1, field_in(change.ref()), 1, coefficients_.ref().reshape({coefficients_.size()}));
  }

  Array<float> hertz() const {
    const Array<Complex> turns = to_host<Complex>(ctx_, field(coefficients_));
    Array<float> made(ctx_.host(), encoding_->domain());
    for (Index r = 0; r < made.size(); ++r) made.data()[r] = turns.data()[r].real() / static_cast<float>(span_);
    return made;
  }

 private:
  static constexpr std::uint64_t held_out_seed = 7;

  // The encoding in the present field, of the samples that count, and the same times -2 pi i t / span.
  struct Model {
    Operator<float> encoding;
    Operator<float> by_time;
    Array<float> counts;  // [sample]: 1 or 0
  };

  static SmoothMapOptions smoothness(const Shape& image) {
    const auto longest = static_cast<double>(*std::max_element(image.begin(), image.end()));
    return {.smoothness = detail * longest * longest, .order = order, .period = period};
  }

  // The first part of each readout, without what is held out; or all.
  Model model_of(double part, bool all) const {
    const Array<float> field = hertz();
    EvolutionFactors<float> factors = evolution_factors<float>(
        ctx_.host(), exponential_signal(ctx_.host(), ArrayRef<const float>(), field), times_, factor_tolerance);
    Array<Complex> by_time(ctx_.host(), factors.courses.shape());
    Array<float> counts(ctx_.host(), {times_.size()});
    const Index samples = times_.size();
    for (Index i = 0; i < by_time.size(); ++i) {
      const Index j = i % samples;
      const double t = times_.data()[j];
      const bool in = all || (held_out_[static_cast<std::size_t>(j)] == 0 && t - first_ <= part * span_ * (1 + 1e-9));
      counts.data()[j] = in ? 1.0F : 0.0F;
      factors.courses.data()[i] *= counts.data()[j];
      by_time.data()[i] = factors.courses.data()[i] * Complex(0, static_cast<float>(-2 * std::numbers::pi * t / span_));
    }
    const auto here = [&](const Array<Complex>& values) { return clone<Complex>(ctx_, values); };
    Array<Complex> maps = here(factors.maps);
    return {SignalEvolution<float>(encoding_, {maps.share(), here(factors.courses), 0}),
            SignalEvolution<float>(encoding_, {maps.share(), here(by_time), 0}), clone<float>(ctx_, counts)};
  }

  Array<Complex> kept_data(const Model& model) const {
    Array<Complex> kept(ctx_, data_.shape());
    multiply_weights<float>(ctx_, model.counts, data_, kept);
    return kept;
  }

  void solve_image(const Model& model) {
    const Array<Complex> kept = kept_data(model);
    Array<Complex> right(ctx_, image_.shape());
    model.encoding->adjoint(ctx_, kept, right);
    const double weight = lambda * eigenvalue_;
    conjugate_gradient<float>(ctx_,
                              [&](const Context&, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
                                model.encoding->normal(ctx_, x, z);
                                axpby<float>(ctx_, weight, x, 1, z);
                              },
                              right, image_, {.iterations = image_iterations, .tolerance = 1e-4});
  }

  // The image, in units of 1 / sqrt(eigenvalue), and the coefficients of the field in turns during a readout.
  template <class T>
  ArrayRef<T> image_in(ArrayRef<T> v) const {
    return {v.data(), image_.shape(), v.device()};
  }
  template <class T>
  ArrayRef<T> field_in(ArrayRef<T> v) const {
    return {v.data() + image_.size(), {coefficients_.size()}, v.device()};
  }
  ArrayRef<Complex> image_in(Array<Complex>& v) const { return image_in(v.ref()); }
  ArrayRef<Complex> field_in(Array<Complex>& v) const { return field_in(v.ref()); }

  Array<Complex> field(ArrayRef<const Complex> coefficients) const {
    Array<Complex> turns(ctx_, image_.shape().with_front(1));
    smooth_.forward(ctx_, coefficients.reshape(coefficients_.shape()), turns);
    keep_real(ctx_, turns);
    axpby<float>(ctx_, scale_, turns, 0, turns);
    return turns;
  }

  void derivative(const Model& model, const Sense<float>& product, ArrayRef<const Complex> v,
                  ArrayRef<Complex> y) const {
    Array<Complex> image(ctx_, image_.shape());
    axpby<float>(ctx_, 1 / std::sqrt(eigenvalue_), image_in(v), 0, image);
    model.encoding->forward(ctx_, image, y);
    Array<Complex> turns = field(field_in(v));
    product.forward(ctx_, turns.ref().reshape(image_.shape()), image.ref().reshape(product.range()));
    Array<Complex> turned(ctx_, encoding_->range());
    model.by_time->forward(ctx_, image, turned);
    axpby<float>(ctx_, 1, turned, 1, y);
  }

  void adjoint(const Model& model, const Sense<float>& product, ArrayRef<const Complex> y, ArrayRef<Complex> v) const {
    model.encoding->adjoint(ctx_, y, image_in(v));
    axpby<float>(ctx_, 1 / std::sqrt(eigenvalue_), image_in(v), 0, image_in(v));
    Array<Complex> image(ctx_, image_.shape());
    model.by_time->adjoint(ctx_, y, image);
    Array<Complex> turns(ctx_, image_.shape().with_front(1));
    product.adjoint(ctx_, image.ref().reshape(product.range()), turns.ref().reshape(image_.shape()));
    keep_real(ctx_, turns);
    smooth_.adjoint(ctx_, turns, field_in(v).reshape(coefficients_.shape()));
    axpby<float>(ctx_, scale_, field_in(v), 0, field_in(v));
  }

  std::vector<double> energies(const Array<Complex>& samples) const {
    const Array<Complex> here = to_host<Complex>(ctx_, samples);
    std::vector<double> sums(held_out_.size());
    for (Index i = 0; i < here.size(); ++i) {
      sums[static_cast<std::size_t>(i % times_.size())] += std::norm(std::complex<double>(here.data()[i]));
    }
    std::vector<double> made;
    for (std::size_t j = 0; j < sums.size(); ++j) {
      if (held_out_[j] != 0) made.push_back(sums[j]);
    }
    return made;
  }

  const Context& ctx_;
  Operator<float> encoding_;
  Array<Complex> data_;
  const Array<double>& times_;
  const ReadoutFieldOptions& options_;
  SmoothMaps<float> smooth_;
  Array<Complex> image_;
  Array<Complex> coefficients_;  // real where the field's values are: field() takes the real part
  std::vector<char> held_out_;
  double first_ = 0;
  double span_ = 0;
  double scale_ = 1;
  double eigenvalue_ = 1;
};

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// Mean over standard error of (before - after) / (before + after): bounded, so that no few samples decide.
double significance_of(const std::vector<double>& before, const std::vector<double>& after) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    const double all = before[j] + after[j];
    if (!(all > 0)) continue;
    const double change = (before[j] - after[j]) / all;
    sum += change;
    squares += change * change;
    ++count;
  }
  if (count < 2) return 0;
  const double mean = sum / count;
  const double variance = (squares / count - mean * mean) / (count - 1);
  return variance > 0 ? mean / std::sqrt(variance) : 0;
}

void check(const Scan& scan, const ReconOptions& recon) {
  if (recon.signal.any()) {
    throw ValueError(
        "field from readout: a field map, an R2* map, a concomitant field or sample weights are given; leave them out");
  }
  for (const ScanFrame& frame : scan.frames) {
    if (frame.index.slice == scan.frames.front().index.slice) continue;
    throw ValueError(
        "field from readout: the scan has several slices, expected one slice or volume; make a map of each");
  }
}

}  // namespace

template <>
const OptionTable<ReadoutFieldOptions>& option_table<ReadoutFieldOptions>() {
  using Options = ReadoutFieldOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("field from readout")
          .integer("steps", &Options::steps, {1, 40}, "", "Gauss-Newton steps for field and image")
          .integer("step-iterations", &Options::iterations, OptionRange::at_least(1), "",
                   "Iterations of conjugate gradient in each step");
  return table;
}

ReadoutField readout_field(const Context& ctx, Scan scan, const ReconOptions& reconstruction,
                           const ReadoutFieldOptions& options) {
  check_options(options);
  ReconOptions plain = reconstruction;
  plain.signal = {};
  recon::check_scan(scan, plain);
  check(scan, reconstruction);
  static_cast<void>(recon::signal_times(ctx, scan, *scan.frames.front().trajectory, reconstruction.signal));
  // On the host: in each application of conjugate gradient it takes the real part of the field.
  const Context own = ctx.host();
  recon::Run run(own);
  recon::prepare(run, scan, plain);
  const ScanFrame& frame = scan.frames.front();
  recon::Encodings encodings(scan, plain);
  const auto support = recon::support_at(run.ctx, scan, frame, plain);
  recon::CoilMaps found = recon::coil_maps(run, scan, frame, plain, encodings, support.get());
  run.notes.emplace_back(found.origin);
  const Array<double> times = recon::signal_times(own, scan, *frame.trajectory, reconstruction.signal);
  ReadoutField result;
  result.geometry = frame.geometry;
  run.time(recon::stages::field_from_readout, [&] {
    Focus focus(own, encodings.transform(run, frame).of_image(std::move(found.maps)), frame.data, times, options);
    ProgressStage progress(own, "field from readout", options.steps);
    const std::vector<double> before = focus.held_out_errors();
    const double energy = sum_of(focus.held_out_energies());
    result.error_before = result.error_after = sum_of(before) / energy;
    for (int step = 0; step < options.steps; ++step) {
      own.check_cancel("field from readout");
      focus.step(step);
      const std::vector<double> after = focus.held_out_errors();
      progress.advance();
      const double error = sum_of(after) / energy;
      if (!(error < result.error_after)) continue;
      result.error_after = error;
      result.significance = significance_of(before, after);
      result.steps = step + 1;
      result.hertz = focus.hertz();
    }
  });
  const double gain = 1 - result.error_after / result.error_before;
  if (result.steps == 0 || result.significance < least_significance || gain < least_gain) {
    throw ValueError(fmt::format(
        "field from readout: the data cannot decide: a field lowers the error of held out samples by {:.2g} % ({:.1f} "
        "standard errors), expected {:g} % and {:g} or more; it takes readouts that last longer, more coils, or a map "
        "from "
        "echoes",
        100 * gain, result.significance, 100 * least_gain, least_significance));
  }
  result.notes = std::move(run.notes);
  result.notes.emplace_back(
      fmt::format("Field from readout: after {} steps, held out samples have an error of {:.3g} % of their energy, "
                  "without a field {:.3g} "
                  "% ({:.0f} standard errors).",
                  result.steps, 100 * result.error_after, 100 * result.error_before, result.significance));
  result.stage_seconds = run.take_stages();
  return result;
}

}  // namespace whorl
