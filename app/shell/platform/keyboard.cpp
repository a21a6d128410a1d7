#include "app/shell/platform/keyboard.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <array>

// Of Dear ImGui's backend, which keeps it visible for uses like this one, and out of its header.
ImGuiKey ImGui_ImplGlfw_KeyToImGuiKey(int keycode, int scancode);  // NOLINT(readability-identifier-naming)

namespace warplens::app {
namespace {

struct Modifier {
  int bit, left_key, right_key;
  ImGuiKey key;
};
constexpr std::array kModifiers{
    Modifier{GLFW_MOD_CONTROL, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL, ImGuiMod_Ctrl},
    Modifier{GLFW_MOD_SHIFT, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT, ImGuiMod_Shift},
    Modifier{GLFW_MOD_ALT, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT, ImGuiMod_Alt},
    Modifier{GLFW_MOD_SUPER, GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER, ImGuiMod_Super}};

/// GLFW names keys by their place on a US keyboard; shortcuts go by the letter that is printed on the key.
int key_of_letter(const KeyEvent& event) {
  if (event.key < GLFW_KEY_SPACE || event.key > GLFW_KEY_WORLD_2) return event.key;
  const char* name = glfwGetKeyName(event.key, event.scancode);
  if (name == nullptr || name[0] < 'a' || name[0] > 'z' || name[1] != 0) return event.key;
  return GLFW_KEY_A + (name[0] - 'a');
}

}  // namespace

void Keyboard::hand_over() {
  ImGuiIO& io = ImGui::GetIO();
  while (!events_.empty()) {
    const KeyEvent event = events_.front();
    events_.pop_front();
    bool is_modifier = false;
    for (const Modifier& modifier : kModifiers) {
      const bool itself = event.key == modifier.left_key || event.key == modifier.right_key;
      is_modifier = is_modifier || itself;
      io.AddKeyEvent(modifier.key, itself ? event.pressed : (event.modifiers & modifier.bit) != 0);
    }
    io.AddKeyEvent(ImGui_ImplGlfw_KeyToImGuiKey(key_of_letter(event), event.scancode), event.pressed);
    if (event.pressed && !is_modifier) return;
  }
}

}  // namespace warplens::app
