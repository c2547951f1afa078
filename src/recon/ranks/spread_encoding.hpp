// Encoding operators whose coils, or samples, are spread over the ranks of a team.
#pragma once

#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "recon/frame_groups.hpp"
#include "whorl/comm/communicator.hpp"
#include "whorl/op/operator.hpp"

namespace whorl::recon {

/// Elements that follow each other both in all data of an encoding and in those of a rank.
struct Segment {
  Index of_all = 0;  ///< the first of them in all data
  Index count = 0;
};

/// What one rank has of an encoding: an operator with the domain of the whole, and the places of its data.
struct EncodingPart {
  Operator<float> op;             ///< of this rank
  Shape range;                    ///< of the whole
  std::vector<Segment> segments;  ///< this rank's data in order, one after another
  /// Data that each rank has, such as those of frames: the leader all, the others all or their own. Their adjoint needs no data
  /// to be sent.
  std::vector<ArrayRef<const std::complex<float>>> known{};
};

/// A part of the coils.
struct CoilRange {
  Index first = 0;
  Index count = 0;
};

/// The part of a frame's encoding, of `coils` coils, that has these of them. The frame's data are on each rank, if `known`.
EncodingPart coil_part(Operator<float> op, const ScanFrame& frame, Index coils, CoilRange own, bool known);
/// coil_part for all frames of a group at once: images and data lie one after the other.
EncodingPart coil_part(Operator<float> op, const FrameGroup& group, Index coils, CoilRange own);

/// Encodings that a team applies together: A^H A x is the sum of those of the parts. The leader, rank 0, has the whole
/// operators for its solver and tells the others what to apply; they serve. So whatever happens in a solver, all ranks make
/// the same collective calls, and only the leader has the solver's arrays.
///
/// For each application the leader broadcasts 16 bytes and an image, and gets the sum of the images and 8 bytes of each
/// rank. Forward, and the adjoint of data that are not known, send all data: solvers need them once or never.
class SpreadEncodings {
 public:
  /// All ranks of the team, with parts of the same encodings.
  SpreadEncodings(Context ctx, Communicator& team, std::vector<EncodingPart> parts);
  /// The leader's ends the others' service.
  ~SpreadEncodings();
  SpreadEncodings(const SpreadEncodings&) = delete;
  SpreadEncodings& operator=(const SpreadEncodings&) = delete;

  /// On the leader: the whole encoding of a number. It must not outlive this object.
  Operator<float> whole(std::size_t number);

  /// On the other ranks: applies what the leader asks for, until its object is destroyed. Throws the failure of this rank,
  /// or AnotherRankFailed.
  void serve();

 private:
  class Whole;
  enum class Work : std::int32_t { forward, adjoint, adjoint_of_known, normal, done, failed };
  struct Order {
    Work work = Work::done;
    std::int32_t number = 0;
    std::int64_t known = 0;
  };

  // What an application takes and gives: images [domain] and all data [range], empty where it has no use for them.
  struct Arrays {
    ArrayRef<std::complex<float>> x{};
    ArrayRef<std::complex<float>> data{};
    ArrayRef<std::complex<float>> z{};
  };

  void apply(const Order& order, const Arrays& arrays);
  void work_here(const Order& order, const Arrays& arrays);
  void send(Order order);

  Context ctx_;
  Communicator& team_;
  std::vector<EncodingPart> parts_;
  int exceptions_;  // in flight when this was made
  std::exception_ptr failure_;
};

/// Makes the parts of a team's encodings, on all ranks or on none. Then the leader calls `work` with the whole encodings, and
/// the other ranks apply their parts for it. A team of one rank works with its own parts.
void apply_together(const Context& ctx, Communicator& team, const std::function<std::vector<EncodingPart>()>& make,
                    const std::function<void(const std::vector<Operator<float>>&)>& work);

}  // namespace whorl::recon
