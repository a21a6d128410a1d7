#include "kernels/base/language_table.h"

#include <gtest/gtest.h>

#include <span>

namespace warplens {

std::span<const LanguageTable> sample_languages();  // Of tests/data/texts

namespace {

TEST(LanguageTable, HoldsWhatTheCatalogueSays) {
  ASSERT_EQ(sample_languages().size(), 1u);
  const LanguageTable& polish = sample_languages()[0];
  EXPECT_EQ(polish.tag(), "pl");
  use_language(&polish);
  EXPECT_STREQ(tr("Nothing is loaded."), "Nic nie jest wczytane.");
  EXPECT_EQ(tr("{kernel} at {size}", "kernel"_a = "ijk", "size"_a = 64), "64: ijk");
  EXPECT_STREQ(tr("Not in the catalogue"), "Not in the catalogue");
  EXPECT_STREQ(tr("Record"), "Record") << "fuzzy: nobody has looked at it";
  use_language(nullptr);
}

TEST(LanguageTable, ChoosesThePluralFormByTheLanguagesRule) {
  use_language(sample_languages().data());
  const auto lines = [](std::uint64_t count) { return tr_n(count, "{n} line of {of}", "{n} lines of {of}", "of"_a = 9); };
  EXPECT_EQ(lines(1), "1 linia z 9");
  EXPECT_EQ(lines(3), "3 linie z 9");
  EXPECT_EQ(lines(12), "12 linii z 9");
  EXPECT_EQ(lines(1024), "1,024 linie z 9");
  EXPECT_EQ(lines(0), "0 linii z 9");
  EXPECT_EQ(tr_n(2, "{n} file", "{n} files"), "2 files");
  use_language(nullptr);
}

}  // namespace
}  // namespace warplens
