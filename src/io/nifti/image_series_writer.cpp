#include "whorl/io/image_series_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/parallel.hpp"
#include "io/nifti/bids_sidecar.hpp"
#include "io/nifti/nifti_file.hpp"
#include "io/nifti/stack_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<float>;

// Values that are converted and written together, and the part of them that one thread converts.
constexpr Index piece = Index{1} << 20;
constexpr Index part = Index{1} << 14;

}  // namespace

class ImageSeriesWriter::Files {
 public:
  Files(const Context& ctx, fs::path path, Shape images, std::span<const ImageFrame> frames, ImageOptions options)
      : silent_(ctx.host().with(std::shared_ptr<ProgressSink>())),
        path_(std::move(path)),
        shape_(std::move(images)),
        frames_(frames.begin(), frames.end()),
        options_(std::move(options)),
        stacks_(io::stacks_of(shape_, frames)),
        paths_(io::nifti_files(path_, stacks_)),
        images_(frames.size(), nullptr) {
    for (std::size_t i = 0; i < paths_.size(); ++i) files_.push_back({open(stacks_.stacks[i], paths_[i]), 0});
  }
  ~Files() { stop(); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void add(Index frame, const Complex* image) {
    {
      const std::scoped_lock lock(mutex_);
      images_[static_cast<std::size_t>(frame)] = image;
    }
    if (!writer_.joinable()) writer_ = std::thread([this] { write_added(); });
    added_.notify_one();
  }

  WrittenImages finish(const Context& ctx, ArrayRef<const Complex> images) {
    stop();
    if (failure_) std::rethrow_exception(failure_);
    for (std::size_t frame = 0; frame < images_.size(); ++frame) {
      if (images_[frame] == nullptr) images_[frame] = images.slice(static_cast<Index>(frame)).data();
    }
    Index left = std::ssize(frames_);
    for (const File& file : files_) left -= file.written;
    ProgressStage stage(ctx, "writing " + path_.filename().string(), left);
    while (const std::optional<Place> place = next()) {
      write(ctx.host(), *place);
      stage.advance();
    }
    AtomicFileGroup together;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      files_[i].file->commit();
      if (options_.bids_sidecar) write_sidecar(stacks_.stacks[i], paths_[i]);
    }
    together.commit();
    WrittenImages written{io::with_sidecars(paths_, options_), {}};
    if (paths_.size() > 1) {
      written.note = fmt::format("the frames are in {} NIfTI files, since they do not form one stack: {}",
                                 paths_.size(), stacks_.irregularity);
    }
    return written;
  }

 private:
  struct File {
    std::unique_ptr<io::NiftiFile> file;
    Index written = 0;  // images
  };
  struct Place {
    std::size_t file = 0;
    Index frame = 0;
  };

  std::unique_ptr<io::NiftiFile> open(const SliceStack& stack, const fs::path& path) const {
    const Index volumes = static_cast<Index>(stack.frames.size()) / stack.slices;
    const Shape series{volumes, stack.slices * shape_[1], shape_[2], shape_[3]};
    const Affine affine = voxel_affine(stack.geometry, {series[3], series[2], series[1]});
    const double interval = options_.frame_interval_ms;
    return options_.part == ImagePart::complex ? io::open_nifti<Complex>(silent_, path, series, affine, interval)
                                               : io::open_nifti<float>(silent_, path, series, affine, interval);
  }

  // An image that is there and the next of its file.
  std::optional<Place> next() const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::vector<Index>& frames = stacks_.stacks[i].frames;
      if (files_[i].written == std::ssize(frames)) continue;
      const Index frame = frames[static_cast<std::size_t>(files_[i].written)];
      if (images_[static_cast<std::size_t>(frame)] != nullptr) return Place{i, frame};
    }
    return std::nullopt;
  }

  // What the thread does until it is stopped.
  void write_added() {
    try {
      std::unique_lock lock(mutex_);
      while (!is_stopped_) {
        const std::optional<Place> place = next();
        if (!place) {
          added_.wait(lock);
          continue;
        }
        lock.unlock();
        write(silent_, *place);
        lock.lock();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void stop() {
    if (!writer_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      is_stopped_ = true;
    }
    added_.notify_one();
    writer_.join();
  }

  void write(const Context& ctx, const Place& place) {
    File& to = files_[place.file];
    const Complex* image = images_[static_cast<std::size_t>(place.frame)];
    const Index voxels = shape_.size() / shape_[0];
    magnitudes_.resize(static_cast<std::size_t>(std::min(voxels, piece)));
    for (Index first = 0; first < voxels; first += piece) {
      const Index count = std::min(piece, voxels - first);
      detail::parallel_for(ctx, "writing", 0, divide_up(count, part), [&](Index number) {
        for (Index i = number * part; i < std::min(count, (number + 1) * part); ++i) {
          const float magnitude = std::abs(image[first + i]);
          if (!std::isfinite(magnitude)) refuse(place.frame * voxels + first + i);
          magnitudes_[static_cast<std::size_t>(i)] = magnitude;
        }
      });
      const auto values = static_cast<std::size_t>(count);
      options_.part == ImagePart::complex ? to.file->write(image + first, values * sizeof(Complex))
                                          : to.file->write(magnitudes_.data(), values * sizeof(float));
    }
    ++to.written;
  }

  [[noreturn]] void refuse(Index pixel) const {
    throw ValueError(fmt::format("writing '{}': pixel {} of {} is not finite (NaN or infinite); check the data",
                                 path_.string(), pixel, shape_.size()));
  }

  void write_sidecar(const SliceStack& stack, const fs::path& image) const {
    std::vector<ImageFrame> volumes;
    for (std::size_t i = 0; i < stack.frames.size(); i += static_cast<std::size_t>(stack.slices)) {
      volumes.push_back(frames_[static_cast<std::size_t>(stack.frames[i])]);
    }
    const double interval = volumes.size() > 1 ? options_.frame_interval_ms : 0;
    write_file(io::sidecar_path(image), io::bids_sidecar(options_.facts, volumes, interval, shape_[1] > 1));
  }

  Context silent_;  // of the thread, which has no progress
  fs::path path_;
  Shape shape_;
  std::vector<ImageFrame> frames_;
  ImageOptions options_;
  SliceStacks stacks_;
  std::vector<fs::path> paths_;
  std::vector<File> files_;
  std::vector<const Complex*> images_;  // of each frame; null: not there yet
  std::vector<float> magnitudes_;
  std::mutex mutex_;  // of images_, while the thread runs
  std::condition_variable added_;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
  std::thread writer_;
};

ImageSeriesWriter::ImageSeriesWriter(const Context& ctx, const fs::path& path, const Shape& images,
                                     std::span<const ImageFrame> frames, const ImageOptions& options)
    : files_(std::make_unique<Files>(ctx, path, images, frames, options)) {}

ImageSeriesWriter::~ImageSeriesWriter() = default;

bool ImageSeriesWriter::takes(const fs::path& path) { return image_type(path.string()) == ImageType::nifti; }

void ImageSeriesWriter::add(Index frame, ArrayRef<const Complex> image) { files_->add(frame, image.data()); }

WrittenImages ImageSeriesWriter::finish(const Context& ctx, ArrayRef<const Complex> images) {
  return files_->finish(ctx, images);
}

}  // namespace whorl
