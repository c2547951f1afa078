// FilterRegistry: the filters that texts of pipelines may name.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "whorl/filter/descriptor.hpp"

namespace WHORL_PUBLIC whorl {

/// Filters by name: the library's, and those that a program adds. Pipeline::parse and ComplexImageFilter find both, and
/// the help (whorl/filter/reference.hpp) shows both.
///
/// Threads  several may use a registry at once
class FilterRegistry {
 public:
  /// The library's filters.
  FilterRegistry();
  FilterRegistry(const FilterRegistry&) = delete;
  FilterRegistry& operator=(const FilterRegistry&) = delete;
  ~FilterRegistry() = default;

  /// The registry of this process, the default of functions that take a registry.
  static FilterRegistry& global();

  /// Adds a filter, for as long as the registry lives. Throws ValueError for a name or an alias that exists already or
  /// has characters other than a to z, digits, - and _, for two parameters of the same name, and for a filter without
  /// `make`.
  void add(FilterDescriptor filter);

  /// All filters: the library's in the order of the documentation, then those that were added. They live as long as the
  /// registry.
  std::vector<std::reference_wrapper<const FilterDescriptor>> filters() const;

  /// The filter with this name or alias. Throws ValueError, suggesting similar names.
  const FilterDescriptor& find(std::string_view name) const;

 private:
  mutable std::mutex mutex_;
  std::deque<FilterDescriptor> filters_;  // a deque does not move its elements
};

}  // namespace whorl
