#include "whorl/filter/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "filter/src/pipeline/rows.hpp"
#include "filter/src/pipeline/stages.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using filters::Stage;

// Bytes for the tables and histograms of a pipeline: of 16 bits or of the bins of float32, for three colors, with
// scratch.
constexpr std::size_t tables_of_bytes = std::size_t{1} << 15;
constexpr std::size_t tables_of_others = std::size_t{1} << 22;

// Runs the stages of a pipeline on bands.
class Bands {
 public:
  Bands(const Context& ctx, const Pipeline& pipeline, const ImageStream& stream, std::size_t max_memory)
      : ctx_(ctx),
        stream_(stream),
        limit_(max_memory > 0 ? max_memory : ctx.pool().limit()),
        work_(ctx.on(ctx.device(), max_memory)),
        stages_(filters::stages_of(pipeline.filters(), stream.format, std::nullopt)),
        bytes_only_(std::all_of(stages_.begin(), stages_.end(),
                                [](const Stage& stage) { return stage.input.type == PixelType::uint8; })) {}

  void run() {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (stages_[i].statistic != nullptr) learn(i);
    }
    pass(stages_.size(), "filter", [&](RowRange rows, const Image& band) {
      if (band.device() == Device{}) {
        stream_.write(rows, band);
      } else {
        stream_.write(rows, to_host(work_, band));
      }
    });
  }

 private:
  // Collects the statistic of stage `at` and replaces the stage by its point operations.
  void learn(std::size_t at) {
    const Stage stage = stages_[at];
    const std::unique_ptr<ImageStatistic> statistic = stage.statistic->statistic(stage.input);
    do {
      pass(at, stage.filter->name(), [&](RowRange, const Image& band) { statistic->add(work_, band); });
    } while (statistic->wants_another_pass(work_));
    PointProgram program = statistic->finish();
    const ImageFormat between = program.output(stage.input);
    stages_[at] = filters::pass_of_points(std::move(program), stage.input, between);
    if (!stage.store) return;
    stages_.insert(stages_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                   filters::pass_of_points(*stage.store, between, stage.output));
  }

  const ImageFormat& format_after(std::size_t count) const {
    return count == 0 ? stream_.format : stages_[count - 1].output;
  }

  // Calls use(rows, band) with all rows of the result of the first `count` stages, in bands.
  template <class Use>
  void pass(std::size_t count, const std::string& name, const Use& use) {
    held_ = {};
    window_ = Image();
    const Index height = format_after(count).height;
    Index rows = rows_that_fit(count);
    ProgressStage progress(ctx_, name, height);
    for (Index first = 0; first < height;) {
      const RowRange wanted{first, std::min(first + rows, height)};
      Image band;
      try {
        band = band_of(count, wanted);
      } catch (const Error& error) {
        // The pool throws Error itself, not a derived class: the filters' scratch was larger than estimated.
        if (typeid(error) != typeid(Error) || rows == 1) throw;
        rows = (rows + 1) / 2;
        continue;
      }
      use(wanted, band);
      progress.advance(wanted.count());
      first = wanted.last;
    }
  }

  // Rows of each stage's input, and last those wanted.
  std::vector<RowRange> rows_of(std::size_t count, RowRange wanted) const {
    std::vector<RowRange> rows(count + 1, wanted);
    for (std::size_t i = count; i-- > 0;) {
      const Stage& stage = stages_[i];
      rows[i] = stage.filter != nullptr ? stage.filter->rows_needed(stage.input, rows[i + 1]) : rows[i + 1];
    }
    return rows;
  }

  // Bytes of the images: the rows of the window before and after it moves, the rows that are read, and the input,
  // result and scratch of the largest stage.
  std::size_t bytes_for(std::size_t count, RowRange wanted) const {
    const std::vector<RowRange> rows = rows_of(count, wanted);
    const std::size_t read = rows::with_rows(stream_.format, rows[0].count()).bytes();
    std::size_t most = 0;
    bool tables = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t in = rows::with_rows(stages_[i].input, rows[i].count()).bytes();
      const std::size_t out = rows::with_rows(stages_[i].output, rows[i + 1].count()).bytes();
      tables = tables || stages_[i].filter == nullptr;
      most = std::max(most, stages_[i].filter != nullptr ? in + 2 * std::max(in, out) : in + out);
    }
    if (tables || count < stages_.size()) most += bytes_only_ ? tables_of_bytes : tables_of_others;
    return 3 * read + most;
  }

  Index rows_that_fit(std::size_t count) const {
    const Index height = format_after(count).height;
    const auto bytes_in_the_middle = [&](Index rows) {
      const Index first = (height - rows) / 2;
      return bytes_for(count, {first, first + rows});
    };
    Index rows = height;
    while (rows > 1 && bytes_in_the_middle(rows) > limit_) rows = (rows + 1) / 2;
    const std::size_t bytes = bytes_in_the_middle(rows);
    if (bytes > limit_) refuse(count, bytes);
    return rows;
  }

  [[noreturn]] void refuse(std::size_t count, std::size_t bytes) const {
    for (std::size_t i = 0; i < count; ++i) {
      const Stage& stage = stages_[i];
      if (stage.filter == nullptr || stage.input.height == 1) continue;
      const RowRange needed = stage.filter->rows_needed(stage.input, {0, 1});
      if (needed.count() < stage.input.height) continue;
      throw Error(
          fmt::format("{}: needs the whole image at once, {}, which takes {} bytes, more than the {} allowed; allow "
                      "more memory or leave the filter out",
                      stage.filter->name(), to_string(stage.input), bytes, limit_));
    }
    throw Error(
        fmt::format("filter pipeline: a single row of the result takes {} bytes, more than the {} allowed; allow "
                    "more memory",
                    bytes, limit_));
  }

  Image band_of(std::size_t count, RowRange wanted) {
    const std::vector<RowRange> rows = rows_of(count, wanted);
    read(rows[0]);
    if (count == 0) return clone(work_, window_);
    Image band;
    for (std::size_t i = 0; i < count; ++i) {
      const Stage& stage = stages_[i];
      Image on_device;
      if (i == 0 && !(work_.device() == Device{})) on_device = clone(work_, window_);
      const Image& input = i > 0 ? band : (work_.device() == Device{} ? window_ : on_device);
      Image result(work_, rows::with_rows(stage.output, rows[i + 1].count()));
      if (stage.load) {
        BoundPoints(work_, *stage.load).apply(work_, input, result);
      } else {
        stage.filter->apply_to_band(work_, stage.input, input, rows[i], rows[i + 1], result);
      }
      band = std::move(result);
    }
    return band;
  }

  // Brings rows into the window. Rows that it has are not read again.
  void read(RowRange rows) {
    if (rows == held_) return;
    Image next(work_.host(), rows::with_rows(stream_.format, rows.count()));
    const bool goes_on =
        held_.count() > 0 && rows.first >= held_.first && rows.first < held_.last && rows.last >= held_.last;
    const Index kept = goes_on ? held_.last - rows.first : 0;
    const Context host = work_.host();
    if (kept > 0) rows::copy_rows(host, window_, {rows.first - held_.first, held_.last - held_.first}, next);
    if (kept == 0) {
      stream_.read(rows, next);
    } else if (kept < rows.count()) {
      Image fresh(host, rows::with_rows(stream_.format, rows.count() - kept));
      stream_.read({rows.first + kept, rows.last}, fresh);
      rows::copy_rows(host, fresh, {0, fresh.format().height}, next, kept);
    }
    window_ = std::move(next);
    held_ = rows;
  }

  const Context& ctx_;
  const ImageStream& stream_;
  std::size_t limit_;
  Context work_;
  std::vector<Stage> stages_;
  bool bytes_only_;
  Image window_;   // on the host
  RowRange held_;  // the rows in it
};

}  // namespace

void apply_in_bands(const Context& ctx, const Pipeline& pipeline, const ImageStream& stream, std::size_t max_memory) {
  pipeline.output(stream.format);  // refuses formats before the work
  Bands(ctx, pipeline, stream, max_memory).run();
}

}  // namespace whorl
