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
  EXPECT_EQ(polish.name(), "Polski");
  use_language(&polish);
  EXPECT_STREQ(tr("Nothing is loaded."), "Nic nie jest wczytane.");
  EXPECT_EQ(tr("{kernel} at {size}", "kernel"_a = "ijk", "size"_a = 64), "64: ijk");
  EXPECT_STREQ(tr("Not in the catalogue"), "Not in the catalogue");
  EXPECT_STREQ(tr("Record"), "Record") << "fuzzy: nobody has looked at it";
  use_language(nullptr);
}

TEST(LanguageTable, ChoosesThePluralFormByTheLanguagesRule) {
  use_language(sample_languages().data());
  const auto lines = [](std::uint64_t count) {
    return tr_n(count, "{n} line of {of}", "{n} lines of {of}", "of"_a = 9);
  };
  EXPECT_EQ(lines(1), "1 linia z 9");
  EXPECT_EQ(lines(3), "3 linie z 9");
  EXPECT_EQ(lines(12), "12 linii z 9");
  EXPECT_EQ(lines(1024), "1024 linie z 9");
  EXPECT_EQ(lines(10'240), "10\u00a0240 linii z 9");
  EXPECT_EQ(lines(0), "0 linii z 9");
  EXPECT_EQ(tr_n(2, "{n} file", "{n} files"), "2 files");
  use_language(nullptr);
}

TEST(LanguageTable, NumbersAreWrittenAsTheLanguageDoes) {
  use_language(sample_languages().data());
  EXPECT_EQ(tr("{share:.1f} % of cuBLAS", "share"_a = 12.5), "12,5 % cuBLAS");
  EXPECT_EQ(with_thousands(1'048'576), "1\u00a0048\u00a0576");
  EXPECT_EQ(with_thousands(1'024), "1024") << "four digits stand together in Polish";
  EXPECT_EQ(in_short(12'345), "12,3 k");
  EXPECT_EQ(formatted("{:.4g} ms · v. {}", 0.25, 7), "0,25 ms · v. 7")
      << "a point that is no decimal sign stays";
  EXPECT_EQ(with_commas(1'048'576), "1,048,576") << "in files";
  use_language(nullptr);
  EXPECT_EQ(formatted("{:.4g} ms", 0.25), "0.25 ms");
  EXPECT_EQ(tr("{share:.1f} % of cuBLAS", "share"_a = 12.5), "12.5 % of cuBLAS");
}

}  // namespace
}  // namespace warplens
