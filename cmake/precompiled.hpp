// What nearly every source includes (whorl_precompile in WhorlTargets.cmake).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"
