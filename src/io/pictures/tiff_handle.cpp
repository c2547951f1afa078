#include "io/pictures/tiff_handle.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <cstdio>

#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr tmsize_t most_memory = tmsize_t{1} << 30;  // of one piece: libtiff's own tables, a compressed strip

int pass_over_tiff_warning(TIFF* /*tiff*/, void* /*state*/, const char* /*module*/, const char* /*text*/,
                           va_list /*values*/) {
  return 1;
}

int close_nothing(thandle_t /*handle*/) { return 0; }

int map_nothing(thandle_t /*handle*/, void** /*base*/, toff_t* /*size*/) { return 0; }

void unmap_nothing(thandle_t /*handle*/, void* /*base*/, toff_t /*size*/) {}

}  // namespace

TiffHandle::TiffHandle(PictureFile& file) : state_(std::make_unique<State>()), name_(file.name()) {
  state_->input = &file;
  file.seek(0);
  open("rm");
}

TiffHandle::TiffHandle(AtomicFile& file, bool big) : state_(std::make_unique<State>()) {
  state_->output = &file;
  open(big ? "w8" : "w");
}

TiffHandle::~TiffHandle() {
  if (tiff_ != nullptr) TIFFClose(tiff_);
}

void TiffHandle::open(const char* mode) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             &TIFFOpenOptionsFree);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_memory);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &TiffHandle::keep_error, state_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &pass_over_tiff_warning, nullptr);
  tiff_ = TIFFClientOpenExt("TIFF", mode, state_.get(), &TiffHandle::read, &TiffHandle::write, &TiffHandle::seek,
                            &close_nothing, &TiffHandle::size, &map_nothing, &unmap_nothing, options.get());
  check(tiff_ != nullptr);
}

void TiffHandle::check(bool succeeded) const {
  if (state_->failure) std::rethrow_exception(state_->failure);
  if (succeeded) return;
  if (state_->output != nullptr) throw IoError(fmt::format("writing TIFF: {}", state_->message));
  throw IoError(fmt::format("'{}' is not a valid TIFF file: {}", name_,
                            state_->message.empty() ? "it is truncated or damaged" : state_->message));
}

void TiffHandle::close() {
  const bool written = TIFFFlush(tiff_) == 1;
  TIFFClose(tiff_);
  tiff_ = nullptr;
  check(written);
}

// No exception may pass through libtiff.

tmsize_t TiffHandle::read(thandle_t handle, void* to, tmsize_t count) {
  auto& state = *static_cast<State*>(handle);
  if (state.input == nullptr) return 0;
  try {
    return static_cast<tmsize_t>(state.input->read_up_to(to, static_cast<std::size_t>(count)));
  } catch (const Error&) {
    state.failure = std::current_exception();
    return -1;
  }
}

tmsize_t TiffHandle::write(thandle_t handle, void* from, tmsize_t count) {
  auto& state = *static_cast<State*>(handle);
  if (state.output == nullptr) return -1;
  try {
    state.output->write_at(state.position, from, static_cast<std::size_t>(count));
    state.position += static_cast<std::uintmax_t>(count);
    return count;
  } catch (const Error&) {
    state.failure = std::current_exception();
    return -1;
  }
}

toff_t TiffHandle::seek(thandle_t handle, toff_t offset, int whence) {
  auto& state = *static_cast<State*>(handle);
  const std::uintmax_t now = state.input != nullptr ? state.input->position() : state.position;
  const std::uintmax_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? now : size(handle);
  if (state.input != nullptr) {
    state.input->seek(from + offset);
  } else {
    state.position = from + offset;
  }
  return from + offset;
}

toff_t TiffHandle::size(thandle_t handle) {
  const auto& state = *static_cast<const State*>(handle);
  return state.input != nullptr ? state.input->size() : state.output->size();
}

int TiffHandle::keep_error(TIFF* /*tiff*/, void* state, const char* /*module*/, const char* text, va_list values) {
  std::string& message = static_cast<State*>(state)->message;
  if (!message.empty()) return 1;  // the first says most
  constexpr std::size_t longest = 300;
  std::array<char, longest> line{};
  std::vsnprintf(line.data(), line.size(), text, values);
  message = printable(line.data());
  return 1;
}

}  // namespace whorl::io
