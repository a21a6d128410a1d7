#include "app/shell/settings.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/shell/kept_file.h"
#include "app/views/look.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::size_t kRecentKept = 10, kProjectsKept = 50;
constexpr const char* kFileName = "settings.json";

std::filesystem::path folder_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

/// A number of the file within bounds; figures beyond those of the type too.
double number(const nlohmann::json& json, const char* name, double otherwise, double least, double most) {
  return std::clamp(json.value(name, otherwise), least, most);
}

Settings from_json(const nlohmann::json& json) {
  Settings settings;
  settings.dark = json.value("dark", settings.dark);
  settings.scale = static_cast<float>(number(json, "scale", 0, 0, kLargestScale));
  if (settings.scale != 0) settings.scale = std::max(settings.scale, kSmallestScale);
  settings.presented = static_cast<float>(
      number(json, "presented", settings.presented, kSmallestScale, kLargestPresentedScale));
  settings.language = json.value("language", settings.language);
  settings.measure = json.value("measure", settings.measure);
  settings.separate_sizes = json.value("separate_sizes", settings.separate_sizes);
  settings.watchdog_seconds = number(json, "watchdog_seconds", settings.watchdog_seconds, 1, 86400);
  settings.recordings_mb =
      static_cast<std::uint32_t>(number(json, "recordings_mb", settings.recordings_mb, 0, 1 << 20));
  settings.width = static_cast<int>(number(json, "width", settings.width, 320, 16384));
  settings.height = static_cast<int>(number(json, "height", settings.height, 240, 16384));
  for (const std::string& path : json.value("recent", std::vector<std::string>())) {
    if (!path.empty() && settings.recent.size() < kRecentKept) settings.recent.emplace_back(path);
  }
  settings.hidden_views = json.value("hidden_views", settings.hidden_views);
  for (const nlohmann::json& one : json.value("compiler_options", nlohmann::json::array())) {
    ProjectOptions kept{one.value("project", std::string()), one.value("options", std::string())};
    if (!kept.project.empty() && !kept.options.empty() && settings.compiler_options.size() < kProjectsKept)
      settings.compiler_options.push_back(std::move(kept));
  }
  return settings;
}

/// JSON is UTF-8, and a file's name need not be.
bool can_be_kept(const std::string& path) {
  const nlohmann::json json = path;
  return nlohmann::json::parse(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) == json;
}

}  // namespace

void Settings::add_recent(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  std::erase(recent, absolute);
  recent.insert(recent.begin(), absolute);
  if (recent.size() > kRecentKept) recent.resize(kRecentKept);
}

void Settings::keep_options(const std::filesystem::path& project, const std::string& options) {
  std::erase_if(compiler_options, [&](const ProjectOptions& one) { return one.project == project; });
  if (!options.empty()) compiler_options.insert(compiler_options.begin(), {project, options});
  if (compiler_options.size() > kProjectsKept) compiler_options.resize(kProjectsKept);
}

std::string options_of(const std::vector<ProjectOptions>& kept, const std::filesystem::path& project) {
  const auto found = std::ranges::find(kept, project, &ProjectOptions::project);
  return found == kept.end() ? std::string() : found->options;
}

std::vector<std::filesystem::path> folders_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::filesystem::path> folders;
  for (const auto& file : files) {
    if (std::ranges::find(folders, file.parent_path()) == folders.end())
      folders.push_back(file.parent_path());
  }
  return folders;
}

std::filesystem::path default_config_folder() {
  if (const auto folder = folder_from("XDG_CONFIG_HOME"); !folder.empty()) return folder / "warplens";
  if (const auto home = folder_from("HOME"); !home.empty()) return home / ".config" / "warplens";
  return "warplens-config";
}

bool is_first_start(const std::filesystem::path& folder) {
  std::error_code ignored;
  return !std::filesystem::exists(folder / kFileName, ignored);
}

Result<Settings> load_settings(const std::filesystem::path& folder) {
  const auto path = folder / kFileName;
  const auto refused = [&](const std::string& what) {
    return set_aside(path, {tr("the settings cannot be read: {reason}", "reason"_a = what), "", ""},
                     tr("the window starts with the usual ones"));
  };
  const auto text = read_kept(path);
  if (!text) return refused(text.error().what);
  if (!*text) return Settings{};
  try {
    return from_json(nlohmann::json::parse(**text));
  } catch (const nlohmann::json::exception& error) {
    return refused(error.what());
  }
}

Result<Done> save_settings(const Settings& settings, const std::filesystem::path& folder) {
  nlohmann::ordered_json json;
  json["dark"] = settings.dark;
  json["scale"] = settings.scale;
  json["presented"] = settings.presented;
  json["language"] = settings.language;
  json["measure"] = settings.measure;
  json["separate_sizes"] = settings.separate_sizes;
  json["watchdog_seconds"] = settings.watchdog_seconds;
  json["recordings_mb"] = settings.recordings_mb;
  json["width"] = settings.width;
  json["height"] = settings.height;
  json["recent"] = nlohmann::json::array();
  for (const auto& path : settings.recent) {
    if (can_be_kept(path.string())) json["recent"].push_back(path.string());
  }
  json["hidden_views"] = settings.hidden_views;
  json["compiler_options"] = nlohmann::json::array();
  for (const ProjectOptions& one : settings.compiler_options) {
    if (can_be_kept(one.project.string()) && can_be_kept(one.options))
      json["compiler_options"].push_back({{"project", one.project.string()}, {"options", one.options}});
  }
  return write_kept(folder / kFileName, json.dump(2) + "\n");
}

}  // namespace warplens::app
