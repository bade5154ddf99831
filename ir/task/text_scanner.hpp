// Words, numbers, strings, lists and sizes of .dvt text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ir/type/size.hpp"

namespace dvm::task {

struct ScanError {
  std::size_t line;
  std::string message;
};

// Throws ScanError; `parse` catches it.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  std::size_t position() const { return at_; }
  void go_back(std::size_t position) { at_ = position; }
  void skip_past_shape();  // an element type and what is in brackets after it

  bool at_end();
  bool peek(std::string_view token);    // a word or a punctuation mark comes next
  bool accept(std::string_view token);  // … and is taken
  void expect(std::string_view token);
  [[noreturn]] void fail(std::string message);

  std::string word();           // letters, digits, _ . '
  std::string raw_word();       // up to white space
  std::string name(char mark);  // the word after @ or %
  std::string string();         // in double quotes
  std::int64_t integer();
  std::uint32_t count();  // 0 … 2^31
  double number();
  void list(const std::function<void()>& item);  // [item, …]
  // Sums of products; quotients by literals; names are words or $k.
  Size size(const std::function<Size::Symbol(const std::string&)>& symbol);

 private:
  void skip_space();
  Size size_sum(int depth);
  Size size_product(int depth);
  Size size_atom(int depth);

  std::string_view text_;
  std::size_t at_ = 0;
  const std::function<Size::Symbol(const std::string&)>* symbol_ = nullptr;
};

}  // namespace dvm::task
