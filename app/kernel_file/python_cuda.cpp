#include "app/kernel_file/python_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warplens::app {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x110000) {
    text += static_cast<char>(0xF0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Writes the text, and keeps each of its lines at the Python file's: a line break of the file is one of the
/// text, and a `\n` behind which the string goes on in the same line of the file adds one, and a #line
/// directive behind it.
class CudaWriter {
 public:
  void go_to(std::uint32_t line, std::size_t column) {
    while (line_ < line) break_line_of_file();
    const std::size_t here = cuda_.text.size() - line_begin_;
    if (here < column) cuda_.text.append(column - here, ' ');
  }
  void put(char c) {
    if (c == '\n') return break_line_of_file();
    begin_character();
    cuda_.text += c;
  }
  void put_escaped(std::uint32_t code) {
    if (code == '\n') {
      begin_character();
      is_break_due_ = true;
    } else {
      begin_character();
      append_utf8(cuda_.text, code);
    }
  }
  [[nodiscard]] PythonCuda take() {
    break_line_of_file();
    return std::move(cuda_);
  }

 private:
  void begin_character() {
    if (!is_break_due_) return;
    is_break_due_ = false;
    end_line();
    cuda_.text += fmt::format("#line {}", line_);
    end_line();
  }
  void end_line() {
    cuda_.text += '\n';
    cuda_.lines.push_back(line_);
    line_begin_ = cuda_.text.size();
  }
  void break_line_of_file() {
    is_break_due_ = false;
    end_line();
    ++line_;
  }

  PythonCuda cuda_;
  std::uint32_t line_ = 1;
  std::size_t line_begin_ = 0;
  bool is_break_due_ = false;
};

/// Reads a number of at most `most` digits at `at`, and advances `at` past it.
std::uint32_t read_digits(std::string_view text, std::size_t& at, std::size_t most, int base) {
  std::uint32_t value = 0;
  const std::string_view digits = text.substr(at, most);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  at += static_cast<std::size_t>(read.ptr - digits.data());
  return value;
}

/// Python's escape sequences ("Lexical analysis", The Python Language Reference); an unknown one stays as it
/// is. `at`: of the letter behind the backslash; is led behind the sequence.
void write_escape(CudaWriter& writer, std::string_view text, std::size_t& at) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char letter = text[at];
  if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
    ++at;
    return writer.put_escaped(static_cast<unsigned char>(kMeanings[known]));
  }
  if (letter == '\n') {  // Joins two lines: CUDA C++ has the same
    writer.put('\\');
    ++at;
    return writer.put('\n');
  }
  if (letter >= '0' && letter <= '7') return writer.put_escaped(read_digits(text, at, 3, 8));
  const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (digits > 0 && text.size() - at > digits) {
    ++at;
    return writer.put_escaped(read_digits(text, at, digits, 16));
  }
  writer.put('\\');
}

}  // namespace

PythonCuda cuda_of_strings(std::string_view python, PythonTokens strings) {
  CudaWriter writer;
  for (const PythonToken& token : strings) {
    const std::size_t begin_of_line = token.at == 0 ? 0 : python.rfind('\n', token.at - 1) + 1;
    writer.go_to(token.line, token.at - begin_of_line);
    for (std::size_t at = 0; at < token.text.size();) {
      const char c = token.text[at++];
      if (c == '\r') continue;
      if (c == '\\' && !token.is_raw && at < token.text.size()) {
        write_escape(writer, token.text, at);
      } else {
        writer.put(c);
      }
    }
  }
  return writer.take();
}

}  // namespace warplens::app
