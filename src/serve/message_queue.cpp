#include "serve/message_queue.hpp"

namespace whorl::serve {

namespace {

struct SizeInMemory {
  std::size_t operator()(const ConfigFile& config) const { return config.name.size(); }
  std::size_t operator()(const ConfigText& config) const { return config.text.size(); }
  std::size_t operator()(const Header& header) const { return header.xml.size(); }
  std::size_t operator()(const Close& /*close*/) const { return 0; }
  std::size_t operator()(const Text& text) const { return text.text.size(); }
  std::size_t operator()(const Acquisition& acquisition) const {
    return acquisition.trajectory.size() * sizeof(float) + acquisition.samples.size() * sizeof(std::complex<float>);
  }
  std::size_t operator()(const Image& image) const { return image.attributes.size() + image.pixels.size(); }
  std::size_t operator()(const Waveform& waveform) const { return waveform.values.size() * sizeof(std::uint32_t); }
  std::size_t operator()(const NdArray& array) const { return array.elements.size(); }
};

}  // namespace

std::size_t bytes_of(const Acquisition& acquisition) { return sizeof(Acquisition) + SizeInMemory()(acquisition); }

std::size_t bytes_of(const Message& message) { return sizeof(Message) + std::visit(SizeInMemory(), message); }

bool MessageQueue::push(Received received) {
  const std::size_t bytes = bytes_of(received.message);
  std::unique_lock lock(guard_);
  changed_.wait(lock, [&] { return closed_ || waiting_.empty() || bytes_ + bytes <= most_bytes_; });
  if (closed_) return false;
  bytes_ += bytes;
  waiting_.push_back(std::move(received));
  changed_.notify_all();
  return true;
}

void MessageQueue::end(std::exception_ptr failure) {
  const std::scoped_lock lock(guard_);
  ended_ = true;
  failure_ = std::move(failure);
  changed_.notify_all();
}

void MessageQueue::close() {
  const std::scoped_lock lock(guard_);
  closed_ = true;
  waiting_.clear();
  changed_.notify_all();
}

std::optional<Received> MessageQueue::pop() {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
  if (waiting_.empty()) {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return std::nullopt;
  }
  Received next = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= bytes_of(next.message);
  changed_.notify_all();
  return next;
}

}  // namespace whorl::serve
