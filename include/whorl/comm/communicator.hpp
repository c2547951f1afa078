// Communicator: the processes, or threads, that do one work together.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// A group of ranks 0 to size() - 1. Every method but rank, size and abort is collective: all ranks call the same
/// methods in the same order, with equal roots and extents. The calls return when the caller's memory may be used again.
///
/// The ranks of a group are the processes that mpirun started (whorl/comm/world.hpp), the threads of one process
/// (whorl/comm/threads.hpp), or one process alone (alone()).
///
/// Sums are taken in an order that depends on the number of ranks alone: runs with equal ranks give equal bits. The
/// rounding differs from that of another number of ranks.
///
/// Threads  one at a time for each rank
/// Throws   Error (another rank called abort, or its process ended), DeviceError
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Name of the way in which ranks talk, for people: "MPI".
  virtual std::string transport() const = 0;

  /// Copies the root's bytes to all ranks.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Bytes of each rank on the root; nothing elsewhere. The numbers of bytes may differ.
  virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int root) = 0;
  /// Copies to each rank the root's bytes for it. `parts`: on the root one for each rank, as long as that rank's `own`;
  /// elsewhere nothing.
  virtual void scatter(std::span<const std::span<const std::byte>> parts, std::span<std::byte> own, int root) = 0;
  /// Adds the values of all ranks, into those of the root. The values of other ranks are undefined afterwards.
  virtual void sum(std::span<float> values, int root) = 0;

  /// broadcast and sum for arrays on the context's device. The work is queued there; arrays on a GPU go
  /// through the host's memory unless the transport has a shorter way.
  virtual void broadcast(const Context& ctx, ArrayRef<std::complex<float>> array, int root);
  virtual void sum(const Context& ctx, ArrayRef<std::complex<float>> array, int root);

  /// The ranks that gave the same color, in the same order.
  virtual std::shared_ptr<Communicator> split(int color) = 0;

  /// Ends the work of all ranks: after a failure that the others cannot know of. Processes end with this exit code;
  /// threads get an Error from their next call.
  virtual void abort(int exit_code) noexcept = 0;
};

/// A group of this process alone.
std::shared_ptr<Communicator> alone();

/// The root's text on all ranks.
std::string broadcast_text(Communicator& ranks, std::string text, int root);

/// Replaces each value by the largest that a rank has, on all ranks; NaN where one has that.
void take_largest(Communicator& ranks, std::span<double> values);

/// Whether a rank says so, on all ranks.
bool any_of(Communicator& ranks, bool here);

}  // namespace whorl
