// What the window's dialogues have in common.
#pragma once

#include <string>

#include "app/views/look.h"

namespace warplens::app {

/// Begins a dialogue in the middle of the screen, `height` of it from its upper end. `size`: at scale 1, or
/// what of that the screen has room for; as high as its contents where the height is 0. True: draw the
/// contents, then ImGui::EndPopup.
[[nodiscard]] bool begin_dialogue(const Look& look, const char* title, const char* id, float height,
                                  ImVec2 size = {520, 0});

/// Draws a button as wide as the others, or as its text needs.
[[nodiscard]] bool dialogue_button(const Look& look, const char* text, const char* id);

/// Writes at the right of the buttons, cut to the room there; nothing where there is too little.
void write_dialogue_status(const Look& look, const std::string& words);

/// A key that answers the dialogue that is being drawn; not the one that opened it, nor one that is held.
[[nodiscard]] bool dialogue_key(ImGuiKey key);

}  // namespace warplens::app
