// Every table of options of the library, held to what a table promises.
#include "whorl/recon/option_tables.hpp"

#include <gtest/gtest.h>

#include <set>

#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/option_tables.hpp"
#include "whorl/fit/fit_options.hpp"
#include "whorl/fit/water_fat.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/op/option_tables.hpp"
#include "whorl/prior/option_tables.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {
namespace {

template <class Options>
class OptionTables : public testing::Test {};

using AllOptions =
    testing::Types<NufftOptions, EspiritOptions, WalshOptions, CoilCompressionOptions, NlinvOptions, PipeMenonOptions,
                   VoronoiOptions, CellCountOptions, DensityOptions, EdgeOptions, LeastSquaresOptions,
                   LambdaSweepOptions, LambdaSearchOptions, StandardDeviationOptions, ErrorBarOptions, ReconOptions,
                   SpokeOptions, KooshballOptions, StackOptions, ConesOptions, TwistedProjectionOptions,
                   PropellerOptions, CartesianOptions, GradientLimits, DesignOptions, ScanReadOptions, ConvertOptions,
                   SignalOptions, FitOptions, WaterFatOptions>;
TYPED_TEST_SUITE(OptionTables, AllOptions);

TYPED_TEST(OptionTables, HaveDefaultsInTheirRanges) { EXPECT_NO_THROW(check_options(TypeParam{})); }

TYPED_TEST(OptionTables, NameAndExplainEveryOption) {
  const auto& table = option_table<TypeParam>();
  EXPECT_FALSE(table.title().empty());
  std::set<std::string> names;
  std::set<std::string> keys;
  for (const OptionDescriptor& option : table.descriptors()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(keys.insert(option.record).second) << option.record;
    EXPECT_FALSE(option.summary.empty()) << option.name;
    EXPECT_EQ(option.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << option.name;
    EXPECT_EQ(option.record.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos)
        << option.record;
  }
}

// Text of a value, read again, is the same value.
TYPED_TEST(OptionTables, ReadWhatTheyWrite) {
  const auto& table = option_table<TypeParam>();
  for (const OptionDescriptor& option : table.descriptors()) {
    TypeParam options;
    const OptionValue usual = table.get(options, option.name);
    // An empty list, and a number that is not given.
    if (to_text(usual).empty() && (option.is_list() || option.type != OptionType::text)) continue;
    table.set(options, option.name, table.text_of(options, option.name));
    EXPECT_EQ(table.get(options, option.name), usual) << option.name;
    table.set(options, option.name, usual);
    EXPECT_EQ(table.get(options, option.name), usual) << option.name;
    for (const std::string& word : option.choices) {
      table.set(options, option.name, word);
      if (option.type != OptionType::text) continue;
      EXPECT_EQ(table.text_of(options, option.name), word) << option.name;
    }
  }
}

TEST(ReconOptionTable, LeavesOutWhatHasNoEffect) {
  const auto& table = option_table<ReconOptions>();
  ReconOptions options;
  EXPECT_TRUE(table.applies_to(&options, table.index_of("iterations")));
  EXPECT_FALSE(table.applies_to(&options, table.index_of("combine")));
  EXPECT_FALSE(table.applies_to(&options, table.index_of("prior-noise")));
  options.cg_sense.penalty = PenaltyKind::prior;
  EXPECT_TRUE(table.applies_to(&options, table.index_of("prior-noise")));
  options.method = ReconMethod::gridding;
  EXPECT_FALSE(table.applies_to(&options, table.index_of("prior-noise")));
  EXPECT_TRUE(table.applies_to(&options, table.index_of("combine")));
}

TEST(GradientLimits, TakeNucleiByNameAndNumber) {
  GradientLimits limits;
  option_table<GradientLimits>().set(limits, "nucleus", "23Na");
  EXPECT_EQ(limits.gamma_mhz_per_t, gyromagnetic_ratio("23Na"));
  option_table<GradientLimits>().set(limits, "nucleus", "11.5");
  EXPECT_EQ(limits.gamma_mhz_per_t, 11.5);
  EXPECT_THROW(option_table<GradientLimits>().set(limits, "nucleus", "1X"), ValueError);
}

}  // namespace
}  // namespace whorl
