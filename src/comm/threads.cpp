#include "whorl/comm/threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// What the threads of a group share.
class Meeting {
 public:
  explicit Meeting(int size) : posted_(static_cast<std::size_t>(size)), colors_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(posted_.size()); }

  // Waits until all threads are here.
  void wait() {
    std::unique_lock lock(mutex_);
    if (aborted_) fail();
    const std::size_t round = round_;
    if (++here_ == size()) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return round_ != round || aborted_; });
    if (round_ == round) fail();
  }

  void abort() noexcept {
    const std::scoped_lock lock(mutex_);
    aborted_ = true;
    all_here_.notify_all();
    for (auto& [key, part] : parts_) part->abort();
  }

  // The memory that a thread shows to the others until the next wait but one.
  std::span<std::byte>& posted(int rank) { return posted_[static_cast<std::size_t>(rank)]; }
  int& color(int rank) { return colors_[static_cast<std::size_t>(rank)]; }

  // The meeting of the threads of a color in the n-th split: the first that asks makes it.
  std::shared_ptr<Meeting> part(int split, int color) {
    const std::scoped_lock lock(mutex_);
    auto& found = parts_[{split, color}];
    if (found == nullptr)
      found = std::make_shared<Meeting>(static_cast<int>(std::count(colors_.begin(), colors_.end(), color)));
    return found;
  }

 private:
  [[noreturn]] static void fail() { throw Error("another thread of this work failed"); }

  std::mutex mutex_;
  std::condition_variable all_here_;
  int here_ = 0;
  std::size_t round_ = 0;
  bool aborted_ = false;
  std::vector<std::span<std::byte>> posted_;
  std::vector<int> colors_;
  std::map<std::pair<int, int>, std::shared_ptr<Meeting>> parts_;
};

class ThreadRank final : public Communicator {
 public:
  using Communicator::broadcast;
  using Communicator::sum;

  ThreadRank(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return meeting_->size(); }
  std::string transport() const override { return "threads"; }

  void broadcast(std::span<std::byte> bytes, int root) override {
    meeting_->posted(rank_) = bytes;
    meeting_->wait();
    if (rank_ != root && !bytes.empty()) std::memcpy(bytes.data(), meeting_->posted(root).data(), bytes.size());
    meeting_->wait();
  }

  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int root) override {
    meeting_->posted(rank_) = {const_cast<std::byte*>(bytes.data()), bytes.size()};  // the root only reads it
    meeting_->wait();
    std::vector<std::vector<std::byte>> all;
    if (rank_ == root) {
      for (int from = 0; from < size(); ++from)
        all.emplace_back(meeting_->posted(from).begin(), meeting_->posted(from).end());
    }
    meeting_->wait();
    return all;
  }

  void scatter(std::span<const std::span<const std::byte>> parts, std::span<std::byte> own, int root) override {
    // The root shows its list of parts; the others only read it.
    using Part = std::span<const std::byte>;
    if (rank_ == root) {
      meeting_->posted(rank_) = {reinterpret_cast<std::byte*>(const_cast<Part*>(parts.data())), parts.size_bytes()};
    }
    meeting_->wait();
    Part part;
    std::memcpy(&part, meeting_->posted(root).data() + static_cast<std::size_t>(rank_) * sizeof(Part), sizeof(Part));
    std::copy(part.begin(), part.end(), own.begin());
    meeting_->wait();
  }

  // Each thread adds a part, in the order of the ranks.
  void sum(std::span<float> values, int root) override {
    meeting_->posted(rank_) = std::as_writable_bytes(values);
    meeting_->wait();
    const std::size_t each = values.size() / static_cast<std::size_t>(size()) + 1;
    const std::size_t first = std::min(values.size(), each * static_cast<std::size_t>(rank_));
    const std::size_t last = std::min(values.size(), first + each);
    for (std::size_t i = first; i < last; ++i) {
      float total = 0;
      for (int from = 0; from < size(); ++from) total += floats(from)[i];
      floats(root)[i] = total;
    }
    meeting_->wait();
  }

  std::shared_ptr<Communicator> split(int color) override {
    meeting_->color(rank_) = color;
    meeting_->wait();
    int place = 0;
    for (int before = 0; before < rank_; ++before) place += meeting_->color(before) == color ? 1 : 0;
    auto part = std::make_shared<ThreadRank>(meeting_->part(splits_++, color), place);
    meeting_->wait();
    return part;
  }

  void abort(int /*exit_code*/) noexcept override { meeting_->abort(); }

 private:
  float* floats(int rank) const { return reinterpret_cast<float*>(meeting_->posted(rank).data()); }

  std::shared_ptr<Meeting> meeting_;
  int rank_;
  int splits_ = 0;
};

}  // namespace

std::vector<std::shared_ptr<Communicator>> thread_ranks(int size) {
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::shared_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(std::make_shared<ThreadRank>(meeting, rank));
  return ranks;
}

}  // namespace whorl
