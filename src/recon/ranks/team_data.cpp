#include "recon/ranks/team_data.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "whorl/comm/agree.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

// Whether all ranks have the data of all coils of these frames.
bool have_all(Communicator& team, const std::vector<bool>& frames, const Scan& scan) {
  bool lacks = false;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const ScanFrame& frame = scan.frames[f];
    lacks = lacks || (frames[f] && frame.data.shape() != Shape{scan.coils, frame.trajectory->samples()});
  }
  return !any_of(team, lacks);
}

// Each rank's part of the data of all coils, but for the leader's own.
std::vector<std::span<const std::byte>> parts_of(const Communicator& team, ArrayRef<const Complex> data) {
  std::vector<std::span<const std::byte>> parts(1);
  for (int rank = 1; rank < team.size(); ++rank) {
    const CoilRange own = coils_of(rank, team.size(), data.extent(0));
    const ArrayRef<const Complex> rows = data.range(own.first, own.first + own.count);
    parts.push_back(std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size()))));
  }
  return parts;
}

void scatter_all(const Context& ctx, Share& share, const std::vector<bool>& frames, Scan& scan) {
  Communicator& team = share.team();
  ScanFrame* received = nullptr;
  Array<Complex> here;  // on the host: of the leader what it sends, of the others what came
  const auto take = [&] {
    if (received == nullptr) return;
    received->data = ctx.device() == here.device() ? std::move(here) : clone<Complex>(ctx, here);
    received = nullptr;
  };
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (!frames[f]) continue;
    ScanFrame& frame = scan.frames[f];
    agree_within(team, [&] {
      take();
      if (!share.leads()) {
        here = Array<Complex>(ctx.host(), {share.coils().count, frame.trajectory->samples()});
      } else {
        here = frame.data.device().kind == DeviceKind::cpu ? frame.data.share()
                                                           : to_host<const Complex>(ctx, frame.data.ref());
      }
    });
    if (share.leads()) {
      team.scatter(parts_of(team, here), {}, 0);
    } else {
      team.scatter({}, std::as_writable_bytes(here.span()), 0);
      received = &frame;
    }
  }
  agree_within(team, take);
}

}  // namespace

void scatter_coils(Run& run, const Context& ctx, Share& share, const std::vector<bool>& frames, Scan& scan) {
  if (!share.spreads() || have_all(share.team(), frames, scan)) return;
  run.time(stages::scattering, [&] { scatter_all(ctx, share, frames, scan); });
}

Index first_coil(const Share& share, const ScanFrame& frame) {
  return frame.data.extent(0) == share.coils().count ? 0 : share.coils().first;
}

}  // namespace whorl::recon
