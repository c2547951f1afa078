// What the threads of a batch (cli/recon/batch.cpp) do at once, for sanitizers: one reads the next scan while one computes, one
// compresses images as they are made, and one writes the results of the scan before. All share a context with a progress bar.
//
//   batch_check FOLDER SCANS
#include <complex>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/output/last_end.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/signals.hpp"
#include "core/parallel.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/image_series_writer.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/io/png.hpp"
#include "whorl/io/record.hpp"

namespace {

namespace fs = std::filesystem;
using whorl::Array;
using whorl::Context;
using whorl::Index;
using Complex = std::complex<float>;

constexpr Index frames = 3;
constexpr Index rows = 37;
constexpr Index columns = 29;

struct Part {
  fs::path scan, image;
  std::future<Array<Complex>> reading;
  std::unique_ptr<whorl::ImageSeriesWriter> stream;
  Array<Complex> images;
  std::future<void> writing;
};

std::vector<whorl::ImageFrame> places() {
  std::vector<whorl::ImageFrame> all(frames);
  for (whorl::ImageFrame& frame : all) frame.geometry.field_of_view_mm = {100, 120, 5};
  return all;
}

void compute(const Context& ctx, Part& part) {
  const Array<Complex> data = part.reading.get();
  part.images = Array<Complex>(ctx, {frames, 1, rows, columns});
  part.stream = std::make_unique<whorl::ImageSeriesWriter>(ctx, part.image, part.images.shape(), places());
  whorl::ProgressStage stage(ctx, "reconstruction", frames);
  for (Index frame = 0; frame < frames; ++frame) {
    whorl::detail::parallel_for(ctx, "reconstruction", 0, rows, [&](Index row) {
      const whorl::ProgressStage inner(ctx, "row", columns);
      for (Index x = 0; x < columns; ++x) {
        const Index at = (frame * rows + row) * columns + x;
        part.images.data()[at] = data.data()[at] * 2.0F;
      }
    });
    part.stream->add(frame, part.images.slice(frame));
    stage.advance(1, part.image.filename().string());
  }
}

void write(const Context& ctx, Part& part) {
  whorl::AtomicFileGroup results;
  part.stream->finish(ctx, part.images);
  Array<float> magnitudes(ctx, part.images.shape());
  for (Index i = 0; i < magnitudes.size(); ++i) magnitudes.data()[i] = std::abs(part.images.data()[i]);
  whorl::write_png(ctx, part.image.string() + ".png", magnitudes, {});
  whorl::write_npy<float>(ctx, part.image.string() + ".npy", magnitudes);
  whorl::RunRecord record;
  record.notes.push_back(part.scan.string());
  whorl::write_record(ctx, record, whorl::record_path(part.image));
  const whorl::cli::HoldSignals names;
  results.commit();
}

void run(const Context& ctx, std::vector<Part>& parts) {
  const auto read = [&ctx](Part& part) {
    part.reading = std::async(std::launch::async, [&] {
      const whorl::ProgressStage stage(ctx, "reading", 0);
      return whorl::read_npy<Complex>(ctx, part.scan);
    });
  };
  read(parts.front());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const whorl::ProgressStage stage(ctx, parts[i].scan.string(), 0);
    if (i + 1 < parts.size()) read(parts[i + 1]);
    compute(ctx, parts[i]);
    parts[i].writing = std::async(std::launch::async, [&, i] { write(ctx, parts[i]); });
    if (i > 0) parts[i - 1].writing.get();
  }
  parts.back().writing.get();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const fs::path folder = argv[1];
  whorl::cli::turn_write_signals_into_errors();
  whorl::cli::leave_no_temporary_files();
  try {
    const auto bar =
        std::make_shared<whorl::cli::ProgressBar>(std::cerr, whorl::cli::ProgressBar::Options{.verbose = true});
    const Context ctx({.threads = 3, .progress = bar});
    const whorl::cli::CancelOnSignal cancel(ctx);
    Array<Complex> data(ctx, {frames, 1, rows, columns});
    for (Index i = 0; i < data.size(); ++i) data.data()[i] = Complex(static_cast<float>(i % 101), 1);
    std::vector<Part> parts(static_cast<std::size_t>(std::stoi(argv[2])));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].scan = folder / ("scan_" + std::to_string(i) + ".npy");
      parts[i].image = folder / ("image_" + std::to_string(i) + (i % 2 == 0 ? ".nii.gz" : ".nii"));
      whorl::write_npy<Complex>(ctx, parts[i].scan, data);
    }
    run(ctx, parts);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch_check: %s\n", error.what());
    return 1;
  }
}
