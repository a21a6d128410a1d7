// The other commands, and how all of them take what is wrong.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/measure/cpu_products.h"
#include "cli/cli_fixture.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/device.h"
#include "viz/analysis/device_models.h"
#include "viz/export/export.h"

namespace warplens::app {
namespace {

TEST_F(Cli, ExportWritesEveryViewInEveryForm) {
  ASSERT_EQ(run({"record", "tiled", "--size", "64", "--set", "T=16", "-o", path("t.wlr")}).status, kDone);
  for (const viz::View& view : viz::views()) {
    if (view.of_two) continue;
    for (const std::string_view extension : viz::kExtensions) {
      const std::string id(view.id), name = id + std::string(extension);
      SCOPED_TRACE(name);
      const Output output =
          run({"export", path("t.wlr"), "--view", id, "--width", "800", "--height", "500", "-o", path(name)});
      EXPECT_EQ(output.out, "");
      const bool has_it = viz::is_written_as(view, extension);
      EXPECT_EQ(output.status, has_it ? kDone : kFailed) << output.err;
      if (has_it) {
        EXPECT_GT(contents(name).size(), 40u);
      }
    }
  }
  const std::string help = run({"export", "--help"}).out;
  for (const viz::View& view : viz::views()) {
    if (view.exported()) {
      EXPECT_NE(help.find(view.id), std::string::npos) << view.id;
    }
  }
  EXPECT_EQ(contents("banks.png").substr(1, 3), "PNG");
  EXPECT_NE(contents("banks.svg").find("<svg"), std::string::npos);
}

TEST_F(Cli, DoctorAdvises) {
  const ordered_json json = run({"doctor", "--json"}).json();
  ASSERT_GE(json["checks"].size(), 5u);
  for (const ordered_json& check : json["checks"]) {
    EXPECT_EQ(keys(check), (std::vector<std::string>{"name", "ok", "found", "advice"}));
    EXPECT_NE(check["found"], "");
  }
  const auto replay = std::ranges::find_if(
      json["checks"], [](const ordered_json& check) { return check["name"] == "replay"; });
  ASSERT_NE(replay, json["checks"].end());
  EXPECT_TRUE((*replay)["ok"]);
  EXPECT_NE((*replay)["found"].get<std::string>().find("million PTX warp instructions per second"),
            std::string::npos);
  EXPECT_EQ(run({"doctor"}).status, kDone);
}

}  // namespace
}  // namespace warplens::app
