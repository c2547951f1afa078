#include "recon/ranks/collect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

// One function lists the members of each type; a pack of bytes writes or reads them.
class Writer {
 public:
  static constexpr bool reads = false;

  void bytes(const void* from, std::size_t count) {
    const auto* begin = static_cast<const std::byte*>(from);
    all_.insert(all_.end(), begin, begin + count);
  }
  std::vector<std::byte> take() { return std::move(all_); }

 private:
  std::vector<std::byte> all_;
};

class Reader {
 public:
  static constexpr bool reads = true;

  Reader(const Context& host, std::span<const std::byte> all) : host_(host), rest_(all) {}

  void bytes(void* to, std::size_t count) {
    if (count > rest_.size()) throw Error("results of another rank: fewer bytes than they say");
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  std::size_t left() const { return rest_.size(); }
  const Context& host() const { return host_; }

 private:
  const Context& host_;
  std::span<const std::byte> rest_;
};

template <class Pack, class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void pack(Pack& bytes, T& number) { bytes.bytes(&number, sizeof(number)); }

template <class Pack>
void pack_count(Pack& bytes, std::size_t& count, std::size_t least_each) {
  bytes.bytes(&count, sizeof(count));
  if constexpr (Pack::reads) {
    if (count > bytes.left() / least_each) throw Error("results of another rank: fewer bytes than they say");
  }
}

template <class Pack>
void pack(Pack& bytes, std::string& text) {
  std::size_t count = text.size();
  pack_count(bytes, count, 1);
  text.resize(count);
  bytes.bytes(text.data(), count);
}

template <class Pack, class T>
void pack(Pack& bytes, std::vector<T>& list);

template <class Pack, class T>
void pack(Pack& bytes, Array<T>& array) {
  std::vector<Index> extents(array.shape().begin(), array.shape().end());
  pack(bytes, extents);
  if constexpr (Pack::reads) array = Array<T>(bytes.host(), Shape(extents));
  bytes.bytes(array.data(), static_cast<std::size_t>(array.size()) * sizeof(T));
}

template <class Pack, class... Members>
void pack_all(Pack& bytes, Members&... members) {
  (pack(bytes, members), ...);
}

template <class Pack>
void pack(Pack& bytes, SolverReport& of) {
  pack_all(bytes, of.iterations, of.residuals, of.costs, of.primal_residuals, of.dual_residuals, of.gaps, of.changes,
           of.operator_applications, of.stop_reason);
}

template <class Pack>
void pack(Pack& bytes, LambdaPoint& of) {
  pack_all(bytes, of.lambda, of.residual, of.penalty, of.freedom);
}

template <class Pack>
void pack(Pack& bytes, SliceLambda& of) {
  LambdaChoice& choice = of.choice;
  LambdaCurve& curve = choice.curve;
  pack_all(bytes, of.slice, choice.method, choice.lambda, choice.noise_energy, choice.reason, choice.kind, curve.points,
           curve.samples, curve.eigenvalue, curve.iterations, curve.unfinished, curve.unfinished_probes);
}

template <class Pack>
void pack(Pack& bytes, Certificate& of) {
  pack_all(bytes, of.slice, of.samples, of.relative_error, of.bound);
}

template <class Pack>
void pack(Pack& bytes, SavedNormal& of) {
  pack_all(bytes, of.trajectory, of.samples, of.origin, of.spectrum);
}

template <class Pack, class T>
void pack(Pack& bytes, std::vector<T>& list) {
  std::size_t count = list.size();
  pack_count(bytes, count, 1);
  list.resize(count);
  for (T& element : list) pack(bytes, element);
}

template <class Pack>
void pack(Pack& bytes, TeamResult& of) {
  std::vector<Index> image(of.normals.image.begin(), of.normals.image.end());
  pack_all(bytes, of.first, of.images, of.reports, of.lambdas, of.certificates, image, of.normals.normals);
  for_each_error_bar([&](auto member) { pack(bytes, of.error_bars.*member); });
  if constexpr (Pack::reads) of.normals.image = Shape(image);
}

std::vector<TeamResult> gathered(const Context& host, Communicator& ranks, const TeamResult* own) {
  Writer writer;
  if (own != nullptr && ranks.rank() != 0) pack(writer, const_cast<TeamResult&>(*own));  // a writer changes nothing
  const std::vector<std::byte> mine = writer.take();
  std::vector<TeamResult> all;
  for (const std::vector<std::byte>& bytes : ranks.gather(mine, 0)) {
    if (bytes.empty()) continue;
    Reader reader(host, bytes);
    pack(reader, all.emplace_back());
  }
  return all;
}

}  // namespace

std::vector<TeamResult> collect(Run& run, Communicator& ranks, const TeamResult* own) {
  return run.time(stages::collecting, [&] { return gathered(run.ctx.host(), ranks, own); });
}

namespace {

// Adds those whose key is not there yet.
template <class T, class Key>
void add_new(std::vector<T>& all, std::vector<T>& more, Key T::*key) {
  for (T& one : more) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const T& there) { return there.*key == one.*key; });
    if (!known) all.push_back(std::move(one));
  }
}

template <class T>
void keep_rows_of(const Context& host, FrameRange frames, Array<T>& all) {
  if (all.size() > 0) all = clone<T>(host, all.ref().range(frames.first, frames.last));
}

template <class T>
void put_rows(Index first, const Array<T>& rows, Array<T>& all) {
  if (rows.size() > 0) copy<T>(rows.ref(), all.ref().range(first, first + rows.extent(0)));
}

// Row i goes to order[i].
template <class T>
void order_rows(const Context& host, const std::vector<std::size_t>& order, Array<T>& all) {
  if (all.size() == 0) return;
  Array<T> ordered(host, all.shape());
  for (std::size_t i = 0; i < order.size(); ++i) {
    copy<T>(all.slice(static_cast<Index>(i)), ordered.slice(static_cast<Index>(order[i])));
  }
  all = std::move(ordered);
}

}  // namespace

void merge(const Context& ctx, std::vector<TeamResult>& others, Array<std::complex<float>>& images,
           Reconstruction& result) {
  using Complex = std::complex<float>;
  for (TeamResult& team : others) {
    if (team.images.size() > 0) {
      copy<Complex>(ctx, team.images, images.ref().range(team.first, team.first + team.images.extent(0)));
      ctx.synchronize();
      team.images = {};
    }
    std::move(team.reports.begin(), team.reports.end(), std::back_inserter(result.reports));
    add_new(result.lambdas, team.lambdas, &SliceLambda::slice);
    add_new(result.certificates, team.certificates, &Certificate::slice);
    if (!team.normals.normals.empty()) result.normals.image = team.normals.image;
    add_new(result.normals.normals, team.normals.normals, &SavedNormal::trajectory);
  }
}

void keep_rows(const Context& host, FrameRange frames, ErrorBars& bars) {
  for_each_error_bar([&](auto member) { keep_rows_of(host, frames, bars.*member); });
}

void merge_error_bars(const std::vector<TeamResult>& others, ErrorBars& bars) {
  for (const TeamResult& team : others) {
    for_each_error_bar([&](auto member) { put_rows(team.first, team.error_bars.*member, bars.*member); });
  }
}

void restore_order(const Context& host, const std::vector<std::size_t>& order, Reconstruction& result) {
  if (std::is_sorted(order.begin(), order.end())) return;
  std::vector<ImageFrame> frames(order.size());
  std::vector<SolverReport> reports(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    frames[order[i]] = result.frames[i];
    reports[order[i]] = std::move(result.reports[i]);
  }
  for (auto* images : {&result.images, &result.set_images, &result.parts}) order_rows(host, order, *images);
  for_each_error_bar([&](auto member) { order_rows(host, order, result.error_bars.*member); });
  result.frames = std::move(frames);
  result.reports = std::move(reports);
}

}  // namespace whorl::recon
