// What the window's dialogues have in common.
#pragma once

#include "app/views/look.h"

namespace warplens::app {

/// In the middle of the screen, `height` of it from its upper end. True: draw what is in it, then ImGui::EndPopup.
[[nodiscard]] bool begin_dialogue(const Look& look, const char* title, const char* id, float height);

/// As wide as the others, or as its text needs.
[[nodiscard]] bool dialogue_button(const Look& look, const char* text, const char* id);

}  // namespace warplens::app
