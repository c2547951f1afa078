// The trajectories of a scan: equal ones shared, then all brought to cycles per pixel together.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Keeps one of several objects with equal content. Dynamic scans repeat a trajectory for hundreds of frames.
template <class T>
class ContentPool {
 public:
  /// The given object, or an earlier one with equal content (`bytes` of both agree).
  std::shared_ptr<T> add(T object, std::string_view (*bytes)(const T&)) {
    // The first of a size is hashed when there is another one: long scans often have one trajectory alone.
    const auto [first_of_size, is_first] = not_hashed_.try_emplace(bytes(object).size());
    if (is_first) return first_of_size->second = all_.emplace_back(std::make_shared<T>(std::move(object)));
    if (const auto before = std::exchange(first_of_size->second, nullptr); before != nullptr) {
      by_hash_.emplace(std::hash<std::string_view>{}(bytes(*before)), before);
    }
    const std::size_t hash = std::hash<std::string_view>{}(bytes(object));
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto candidate = first; candidate != last; ++candidate) {
      if (bytes(*candidate->second) == bytes(object)) return candidate->second;
    }
    all_.push_back(std::make_shared<T>(std::move(object)));
    by_hash_.emplace(hash, all_.back());
    return all_.back();
  }

  const std::vector<std::shared_ptr<T>>& all() const { return all_; }

 private:
  std::vector<std::shared_ptr<T>> all_;
  std::unordered_map<std::size_t, std::shared_ptr<T>> not_hashed_;  // by size; null: hashed by now
  std::unordered_multimap<std::size_t, std::shared_ptr<T>> by_hash_;
};

/// The meaning of a file's positions.
struct TrajectoryScaling {
  EncodedGrid grid;                            ///< the matrix that the positions were planned for
  std::array<double, 3> pixel_ratio{1, 1, 1};  ///< pixel size of the image over that of the grid
  std::array<bool, 3> counted{};               ///< axes that are in cycles per pixel of the grid already
  TrajectoryUnit unit = TrajectoryUnit::automatic;
  std::function<void(std::span<double>)> largest_of_all{};  ///< ScanReadOptions::largest_of_all
};

/// Trajectories and weights of a scan while it is built.
class TrajectorySet {
 public:
  /// Gives the frame its positions (in the unit of the file) and weights (no elements: none).
  void attach(ScanFrame& frame, Trajectory trajectory, Array<float> weights);

  /// Finds the unit over all trajectories, converts them to cycles per pixel and notes it in the scan.
  /// Throws ValueError for an unknown or ambiguous unit and for positions over the limit.
  void finish(const Context& ctx, Scan& scan, const TrajectoryScaling& scaling) const;

 private:
  ContentPool<Trajectory> trajectories_;
  ContentPool<Array<float>> weights_;
};

}  // namespace whorl::io
