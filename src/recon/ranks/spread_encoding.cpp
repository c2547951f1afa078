#include "recon/ranks/spread_encoding.hpp"

#include <exception>
#include <span>
#include <utility>

#include "whorl/comm/agree.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

constexpr int leader = 0;

// The elements [first, first + count) of an array, whatever its shape.
ArrayRef<Complex> part_of(ArrayRef<Complex> array, Index first, Index count) {
  return {array.data() + first, {count}, array.device()};
}
ArrayRef<const Complex> part_of(ArrayRef<const Complex> array, Index first, Index count) {
  return {array.data() + first, {count}, array.device()};
}

Array<Complex> own_data(const Context& ctx, const EncodingPart& part, ArrayRef<const Complex> all) {
  Array<Complex> own(ctx, part.op.range());
  Index place = 0;
  for (const Segment& segment : part.segments) {
    copy<Complex>(ctx, part_of(all, segment.of_all, segment.count), part_of(own.ref(), place, segment.count));
    place += segment.count;
  }
  return own;
}

// A rank's data in their places among all, and zeros elsewhere.
void place_data(const Context& ctx, const EncodingPart& part, ArrayRef<const Complex> own, ArrayRef<Complex> all) {
  fill<Complex>(ctx, all, 0);
  Index place = 0;
  for (const Segment& segment : part.segments) {
    copy<Complex>(ctx, part_of(own, place, segment.count), part_of(all, segment.of_all, segment.count));
    place += segment.count;
  }
}

// Collective calls take their root's memory as they do that of the others; they only read it.
ArrayRef<Complex> writable(ArrayRef<const Complex> array) {
  return {const_cast<Complex*>(array.data()), array.shape(), array.device()};
}

}  // namespace

EncodingPart coil_part(Operator<float> op, const ScanFrame& frame, Index coils, CoilRange own, bool known) {
  const Index samples = frame.trajectory->samples();
  EncodingPart part{std::move(op), {coils, samples}, {{own.first * samples, own.count * samples}}};
  if (known) part.known.emplace_back(frame.data);
  return part;
}

EncodingPart coil_part(Operator<float> op, const FrameGroup& group, Index coils, CoilRange own) {
  EncodingPart part{std::move(op), {}, {}};
  const Index samples = group.frames.front().trajectory->samples();
  bool alike = true;
  Index elements = 0;
  for (const ScanFrame& frame : group.frames) {
    const Index here = frame.trajectory->samples();
    part.segments.push_back({elements + own.first * here, own.count * here});
    elements += coils * here;
    alike = alike && here == samples;
  }
  part.range = alike ? Shape{static_cast<Index>(group.frames.size()), coils, samples} : Shape{elements};
  return part;
}

class SpreadEncodings::Whole final : public LinearOperator<float> {
 public:
  Whole(SpreadEncodings& spread, std::size_t number)
      : LinearOperator<float>(spread.parts_[number].op.domain(), spread.parts_[number].range, "spread encoding",
                              spread.ctx_.device()),
        spread_(spread),
        number_(static_cast<std::int32_t>(number)) {}

 protected:
  void do_normal(const Context& /*ctx*/, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    apply({Work::normal, number_, 0}, {.x = writable(x), .z = z});
  }

 private:
  void do_forward(const Context& /*ctx*/, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    apply({Work::forward, number_, 0}, {.x = writable(x), .data = y});
  }

  void do_adjoint(const Context& /*ctx*/, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    const auto& known = spread_.parts_[static_cast<std::size_t>(number_)].known;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i].data() != y.data() || known[i].size() != y.size()) continue;
      return apply({Work::adjoint_of_known, number_, static_cast<std::int64_t>(i)}, {.z = x});
    }
    apply({Work::adjoint, number_, 0}, {.data = writable(y), .z = x});
  }

  void apply(const Order& order, const Arrays& arrays) const {
    spread_.send(order);
    spread_.apply(order, arrays);
  }

  SpreadEncodings& spread_;
  std::int32_t number_;
};

SpreadEncodings::SpreadEncodings(Context ctx, Communicator& team, std::vector<EncodingPart> parts)
    : ctx_(std::move(ctx)), team_(team), parts_(std::move(parts)), exceptions_(std::uncaught_exceptions()) {}

SpreadEncodings::~SpreadEncodings() {
  if (team_.rank() != leader) return;
  try {
    send({std::uncaught_exceptions() > exceptions_ ? Work::failed : Work::done, 0, 0});
  } catch (...) {
    static_cast<void>(std::current_exception());  // the transport failed, and has told the others
  }
}

Operator<float> SpreadEncodings::whole(std::size_t number) { return std::make_shared<const Whole>(*this, number); }

void SpreadEncodings::send(Order order) { team_.broadcast(std::as_writable_bytes(std::span(&order, 1)), leader); }

void SpreadEncodings::serve() {
  for (;;) {
    Order order;
    team_.broadcast(std::as_writable_bytes(std::span(&order, 1)), leader);
    if (order.work == Work::done) return;
    if (order.work == Work::failed) {
      if (failure_ != nullptr) std::rethrow_exception(failure_);
      throw AnotherRankFailed();
    }
    const EncodingPart& part = parts_[static_cast<std::size_t>(order.number)];
    const bool takes_image = order.work == Work::normal || order.work == Work::forward;
    const bool has_data = order.work == Work::forward || order.work == Work::adjoint;
    const auto made = [&](bool needed, const Shape& shape) {
      return needed ? Array<Complex>(ctx_, shape) : Array<Complex>();
    };
    Array<Complex> x = made(takes_image, part.op.domain());
    Array<Complex> data = made(has_data, part.range);
    Array<Complex> z = made(order.work != Work::forward, part.op.domain());
    apply(order, {x, data, z});
  }
}

void SpreadEncodings::work_here(const Order& order, const Arrays& arrays) {
  const EncodingPart& part = parts_[static_cast<std::size_t>(order.number)];
  switch (order.work) {
    case Work::normal:
      return part.op.normal(ctx_, arrays.x, arrays.z);
    case Work::forward: {
      Array<Complex> own(ctx_, part.op.range());
      part.op.forward(ctx_, arrays.x, own);
      return place_data(ctx_, part, own, arrays.data);
    }
    case Work::adjoint:
      return part.op.adjoint(ctx_, own_data(ctx_, part, arrays.data), arrays.z);
    case Work::adjoint_of_known: {
      const ArrayRef<const Complex> known = part.known[static_cast<std::size_t>(order.known)];
      if (known.size() == part.op.range().size())
        return part.op.adjoint(ctx_, known.reshape(part.op.range()), arrays.z);
      return part.op.adjoint(ctx_, own_data(ctx_, part, known), arrays.z);
    }
    default:
      return;
  }
}

void SpreadEncodings::apply(const Order& order, const Arrays& arrays) {
  if (order.work == Work::normal || order.work == Work::forward) team_.broadcast(ctx_, arrays.x, leader);
  if (order.work == Work::adjoint) team_.broadcast(ctx_, arrays.data, leader);
  // A rank that fails takes part in the sum, so that none waits for it.
  std::exception_ptr failure;
  try {
    work_here(order, arrays);
  } catch (...) {
    failure = std::current_exception();
  }
  team_.sum(ctx_, order.work == Work::forward ? arrays.data : arrays.z, leader);
  const char own = failure != nullptr ? 1 : 0;
  bool others = false;
  for (const auto& said : team_.gather(std::as_bytes(std::span(&own, own)), leader)) others = others || !said.empty();
  if (team_.rank() != leader) {
    if (failure != nullptr) failure_ = failure;
    return;
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  if (others) throw AnotherRankFailed();
}

void apply_together(const Context& ctx, Communicator& team, const std::function<std::vector<EncodingPart>()>& make,
                    const std::function<void(const std::vector<Operator<float>>&)>& work) {
  std::vector<EncodingPart> parts;
  agree_within(team, [&] { parts = make(); });
  std::vector<Operator<float>> whole;
  if (team.size() == 1) {
    for (EncodingPart& part : parts) whole.push_back(std::move(part.op));
    return work(whole);
  }
  const std::size_t count = parts.size();
  SpreadEncodings spread(ctx, team, std::move(parts));
  if (team.rank() != leader) return spread.serve();
  for (std::size_t number = 0; number < count; ++number) whole.push_back(spread.whole(number));
  work(whole);
}

}  // namespace whorl::recon
