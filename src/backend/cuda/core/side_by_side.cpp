// Independent pieces of work, on a GPU: in streams beside that of the context. A graph that records them has branches.
#include "kernels/side_by_side.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cuda/core/side_by_side_tuning.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

Index pieces_at_once(const Context& ctx, Index count, Index elements) {
  if (!can_branch(ctx)) return 1;
  const Index fit = 1 + tuning::elements_at_once / std::max<Index>(elements, 1);
  return std::min({count, fit, tuning::most_at_once});
}

// The contexts of the pieces.
class Branches {
 public:
  Branches(const Context& ctx, Index count) : contexts_{ctx} {
    for (Index i = 1; i < count; ++i) contexts_.push_back(begin_branch(ctx, static_cast<int>(i)));
  }
  // Branches are left after an exception of the work. A second exception would end the program.
  ~Branches() {
    while (contexts_.size() > 1) {
      try {
        join_last();
      } catch (...) {  // NOLINT(bugprone-empty-catch): the caller's next call to CUDA meets what went wrong here
      }
    }
  }
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

  // Later work of the caller's context waits for that of the pieces. Throws DeviceError.
  void join() {
    while (contexts_.size() > 1) join_last();
  }

  const Context& of(Index piece) const { return contexts_[static_cast<std::size_t>(piece) % contexts_.size()]; }

 private:
  void join_last() {
    const Context last = std::move(contexts_.back());
    contexts_.pop_back();
    end_branch(contexts_.front(), last);
  }

  std::vector<Context> contexts_;
};

void side_by_side(const Context& ctx, Index count, Index elements,
                  const std::function<void(const Context&, Index)>& work) {
  Branches branches(ctx, pieces_at_once(ctx, count, elements));
  for (Index i = 0; i < count; ++i) work(branches.of(i), i);
  branches.join();
}

}  // namespace

void register_side_by_side() {
  kernels::side_by_side.set(DeviceKind::cuda, side_by_side);
  kernels::pieces_at_once.set(DeviceKind::cuda, pieces_at_once);
}

}  // namespace whorl::backend::cuda
