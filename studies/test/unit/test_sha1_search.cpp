#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "studies/amdahl.hpp"
#include "studies/sha1_search/prediction.hpp"
#include "studies/sha1_search/search.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl::studies::sha1_search {
namespace {

Digest openssl_sha1(const std::string& text) {
  std::array<unsigned char, 20> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha1(), nullptr) != 1 || size != bytes.size()) {
    throw Error("no SHA-1 from OpenSSL");
  }
  Digest digest{};
  for (std::size_t i = 0; i < bytes.size(); ++i) digest[i / 4] = digest[i / 4] << 8U | bytes[i];
  return digest;
}

TEST(Sha1, IsThatOfOpenSslForAllLengths) {
  std::uint64_t next = 0;
  for (int length = 0; length <= most_letters; ++length) {
    for (int trial = 0; trial < 20; ++trial) {
      std::string text;
      for (int i = 0; i < length; ++i) text += static_cast<char>(256 * random_uniform(4, next++) - 128);
      EXPECT_EQ(textbook_sha1(text), openssl_sha1(text)) << length;
    }
  }
}

TEST(Sha1, DigestsAsText) {
  // FIPS 180-4's example "abc".
  const std::string text = "a9993e364706816aba3e25717850c26c9cd0d89d";
  EXPECT_EQ(to_hex(textbook_sha1("abc")), text);
  EXPECT_EQ(digest_from_hex(text), textbook_sha1("abc"));
  EXPECT_EQ(digest_from_hex("A9993E364706816ABA3E25717850C26C9CD0D89D"), textbook_sha1("abc"));
  for (const char* const wrong :
       {"", "a9993e36", "a9993e364706816aba3e25717850c26c9cd0d89da", "g9993e364706816aba3e25717850c26c9cd0d89d",
        "a9993e364706816aba3e25717850c26c9cd0d8-1", "0xa9993e364706816aba3e25717850c26c9cd0d8"}) {
    EXPECT_THROW(digest_from_hex(wrong), ValueError) << wrong;
  }
}

TEST(Space, HasEveryStringOnce) {
  const Space space("aZ~", 5, 9);
  EXPECT_EQ(space.count(), 243);
  EXPECT_EQ(space.fronts(), 9);
  EXPECT_EQ(space.string_at(0), "aaaaa");
  EXPECT_EQ(space.string_at(1), "Zaaaa");
  EXPECT_EQ(space.string_at(242), "~~~~~");
  EXPECT_EQ(space.string_at(2 + 3 * (0 + 3 * (1 + 3 * (2 + 3 * 1)))), "~aZ~Z");
  // No front goes beyond the first word, nor beyond the string.
  EXPECT_EQ(Space("01", 9, 1000).fronts(), 16);
  EXPECT_EQ(Space("01", 3, 1000).fronts(), 8);
}

TEST(Space, RefusesWhatCanNotBeSearched) {
  EXPECT_THROW(Space("", 3, 1), ValueError);
  EXPECT_THROW(Space("abca", 3, 1), ValueError);
  EXPECT_THROW(Space("ab\n", 3, 1), ValueError);
  EXPECT_THROW(Space("\xc3\xa9", 3, 1), ValueError);
  EXPECT_THROW(Space("ab", 0, 1), ValueError);
  EXPECT_THROW(Space("ab", 56, 1), ValueError);
  // 8^21 = 2^63, and less than that.
  EXPECT_THROW(Space("abcdefgh", 21, 64), ValueError);
  EXPECT_EQ(Space("abcdefgh", 20, 64).count(), Index{1} << 60);
}

// Every string of small spaces is found by every step, and all are counted: with a front of some letters, of the whole
// string, of one letter; fewer fronts than a vector has lanes.
TEST(SearchSteps, FindEveryString) {
  const Context ctx = test::device_context();
  const std::vector<SearchStep> steps = steps_for(ctx);
  ASSERT_GE(steps.size(), 6U);
  for (const SearchStep& step : steps) {
    for (const Space& space : {Space("aZ~", 4, 3), Space("xy", 4, 16), Space("abcde", 1, 3), Space(" q", 5, 2)}) {
      SCOPED_TRACE(testing::Message() << step.name << ", " << space.alphabet() << "^" << space.length());
      for (Index i = 0; i < space.count(); ++i) {
        const Outcome outcome = step.run(ctx, {space, openssl_sha1(space.string_at(i)), 0, space.rests()});
        ASSERT_EQ(outcome.found, i);
        ASSERT_EQ(outcome.tried, space.count());
      }
      const Outcome nothing = step.run(ctx, {space, openssl_sha1("elsewhere"), 0, space.rests()});
      EXPECT_EQ(nothing.found, -1);
      EXPECT_EQ(nothing.tried, space.count());
    }
  }
}

// Parts of spaces: more rests than are handled at once, strings of 52 to 55 letters, whose padding fills the block, and
// more strings than 32 bits count.
TEST(SearchSteps, FindStringsInTheirPartAlone) {
  const Context ctx = test::device_context();
  for (const SearchStep& step : steps_for(ctx)) {
    for (const Space& space : {Space("0123456789", 5, 100), Space("ab", 55, 16), Space("abc", 37, 3),
                               Space("abcdefghijklmnopqrstuvwxyz", 8, 26)}) {
      SCOPED_TRACE(testing::Message() << step.name << ", " << space.alphabet() << "^" << space.length());
      const Index first = space.rests() / 3;
      const Index last = first + 201;
      for (const Index i : {space.fronts() * first, space.fronts() * last - 1, space.fronts() * (first + 77) + 1}) {
        const Outcome outcome = step.run(ctx, {space, openssl_sha1(space.string_at(i)), first, last});
        EXPECT_EQ(outcome.found, i);
        EXPECT_EQ(outcome.tried, 201 * space.fronts());
      }
      for (const Index i : {space.fronts() * first - 1, space.fronts() * last}) {
        EXPECT_EQ(step.run(ctx, {space, openssl_sha1(space.string_at(i)), first, last}).found, -1);
      }
    }
  }
}

// As many fronts as the study takes on each device.
TEST(SearchSteps, FindStringsWithTheFrontsOfTheStudy) {
  const Context ctx = test::device_context();
  const Space space("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 6, least_fronts(ctx));
  const Index first = space.rests() - 3;
  for (const SearchStep& step : steps_for(ctx)) {
    SCOPED_TRACE(step.name);
    const Index i = space.count() - 1001;
    const Outcome outcome = step.run(ctx, {space, openssl_sha1(space.string_at(i)), first, space.rests()});
    EXPECT_EQ(outcome.found, i);
    EXPECT_EQ(outcome.tried, 3 * space.fronts());
  }
}

TEST(SearchAll, StopsWhereItFindsAndWhereItIsTold) {
  const Context ctx = test::device_context();
  const Space space("0123456789", 6, least_fronts(ctx));
  const Outcome found = search_all(ctx, space, openssl_sha1("654321"));
  EXPECT_EQ(found.found, 123456);
  EXPECT_EQ(search_all(ctx, space, openssl_sha1("abc")).tried, 1000000);
  ctx.request_cancel();
  EXPECT_THROW(search_all(ctx, space, openssl_sha1("abc")), Cancelled);
}

TEST(SearchAll, OfEveryLengthHashesEachStringOnce) {
  const Context ctx = test::device_context();
  const Table table = lengths_table(ctx, "abc", 4);
  ASSERT_EQ(table.rows.size(), 5U);
  for (const auto& row : table.rows) EXPECT_EQ(std::get<double>(row[1]), std::get<double>(row[2]));
  EXPECT_EQ(std::get<double>(table.rows[3][1]), 81);
  EXPECT_EQ(std::get<double>(table.rows[4][2]), 3 + 9 + 27 + 81);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[4][5]));
  // 52 + 52^2 + ... + 52^5, as the team's profile counts.
  double sum = 0;
  for (int letters = 1; letters <= 5; ++letters) sum += std::pow(52, letters);
  EXPECT_EQ(sum, published_strings);
}

TEST(Prediction, IsThatOfThePaper) {
  // 1/((1 - 0.8338) + 0.8338/n), published with 5 and 4 digits.
  EXPECT_NEAR(amdahl(0.8338, 384), 5.9393, 5e-5);
  EXPECT_NEAR(amdahl(0.8338, 2304), 6.004, 5e-4);
  EXPECT_EQ(amdahl(1, 384), 384);
  // Without a serial part but a tenth: 1/(0.1 + 0.9/384) and, at any number of cores, 10.
  const Table table = prediction_table({10, 1});
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_NEAR(std::get<double>(table.rows[2][2]), 9.771, 5e-4);
  EXPECT_NEAR(std::get<double>(table.rows[2][4]), 10, 1e-12);
}

TEST(SearchLadder, CountsWhatEveryStepMissed) {
  const Context ctx = test::device_context();
  const Space space("0123456789", 5, least_fronts(ctx));
  const Ladder ladder = ladder_of(ctx, space);
  for (const LadderStep& step : ladder.steps) {
    EXPECT_EQ(step.error(), 100000 + 1) << step.name;  // not run yet: no string, no answer
    step.run();
    EXPECT_EQ(step.error(), 0) << step.name;
  }
}

}  // namespace
}  // namespace whorl::studies::sha1_search
