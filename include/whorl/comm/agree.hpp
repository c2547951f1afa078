// Work of several ranks that fails on all of them if it fails on one.
#pragma once

#include <functional>
#include <string>

#include "whorl/comm/communicator.hpp"
#include "whorl/core/error.hpp"

namespace WHORL_PUBLIC whorl {

/// A failure that all ranks of a group know of: each has thrown this, with the same message.
class RanksFailed : public Error {
 public:
  RanksFailed(const std::string& message, const Communicator* ranks, bool is_cancelled)
      : Error(message), ranks_(ranks), is_cancelled_(is_cancelled) {}

  /// Whether the ranks of this group are the ones that agreed.
  bool is_known_to(const Communicator& ranks) const { return ranks_ == &ranks; }
  /// Whether somebody asked for the end.
  bool is_cancelled() const { return is_cancelled_; }

 private:
  const Communicator* ranks_;
  bool is_cancelled_;
};

/// The end of a rank's work because another one failed. The others know why: where groups agree within a larger one, its
/// agreement names the failure.
class AnotherRankFailed : public Error {
 public:
  AnotherRankFailed() : Error("another rank failed") {}
};

/// Does the work of this rank, then waits for the others. If one or more ranks failed, throws RanksFailed on all of them,
/// with the message of the lowest of these; it names the rank and its machine unless all failed alike. In a group of one
/// rank exceptions pass unchanged.
///
/// The work may call the group's collective methods only where no rank can have failed before.
void agree(Communicator& ranks, const std::function<void()>& work);

/// Agrees for a group within a larger one, whose ranks agree later: a rank that failed throws what it did, the others
/// throw AnotherRankFailed.
void agree_within(Communicator& ranks, const std::function<void()>& work);

}  // namespace whorl
