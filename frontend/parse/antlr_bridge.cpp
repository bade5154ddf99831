// Calls ANTLR: lexing, parsing of single items, collecting the first error instead of recovering.
#include "frontend/parse/antlr_bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "DvmLexer.h"
#include "antlr4-runtime.h"
#include "frontend/parse/tree.hpp"

namespace dvm::parse {
namespace {

using Kind = TokenKind;

// In the order of TokenKind.
constexpr std::array<std::size_t, token_kinds> antlr_types{
    // clang-format off
    DvmLexer::VOPEN, DvmLexer::VSEMI, DvmLexer::VCLOSE, DvmLexer::PREFIX_BANG, DvmLexer::GUARD_ARROW, DvmLexer::PRAGMA,
    DvmLexer::CASE, DvmLexer::CLASS, DvmLexer::DATA, DvmLexer::DEFAULT, DvmLexer::DERIVING, DvmLexer::DO,
    DvmLexer::ELSE, DvmLexer::FOREIGN, DvmLexer::IF, DvmLexer::IMPORT, DvmLexer::IN, DvmLexer::INFIX,
    DvmLexer::INFIXL, DvmLexer::INFIXR, DvmLexer::INSTANCE, DvmLexer::LET, DvmLexer::MODULE, DvmLexer::NEWTYPE,
    DvmLexer::OF, DvmLexer::THEN, DvmLexer::TYPE, DvmLexer::WHERE, DvmLexer::UNDERSCORE, DvmLexer::AS,
    DvmLexer::HIDING, DvmLexer::QUALIFIED, DvmLexer::FORALL, DvmLexer::LPAREN, DvmLexer::RPAREN,
    DvmLexer::LBRACKET, DvmLexer::RBRACKET, DvmLexer::LBRACE, DvmLexer::RBRACE, DvmLexer::COMMA, DvmLexer::SEMI,
    DvmLexer::BACKQUOTE, DvmLexer::DOTDOT, DvmLexer::DCOLON, DvmLexer::EQUALS, DvmLexer::LAMBDA, DvmLexer::BAR,
    DvmLexer::LARROW, DvmLexer::ARROW, DvmLexer::AT, DvmLexer::TILDE, DvmLexer::DARROW, DvmLexer::BANG,
    DvmLexer::MINUS, DvmLexer::DOT, DvmLexer::QUESTION, DvmLexer::VARID, DvmLexer::CONID, DvmLexer::QVARID,
    DvmLexer::QCONID, DvmLexer::VARSYM, DvmLexer::CONSYM, DvmLexer::QVARSYM, DvmLexer::QCONSYM,
    DvmLexer::UNKNOWN_SIZE, DvmLexer::FLOAT, DvmLexer::INTEGER, DvmLexer::STRING, DvmLexer::UNTERMINATED_STRING,
    DvmLexer::CHARACTER, DvmLexer::ERRCHAR, antlr4::Token::EOF,
    // clang-format on
};

// Byte offset of each code point, and of the end; empty for ASCII, where they are the same.
std::vector<std::uint32_t> code_point_offsets(const std::string& text) {
  std::vector<std::uint32_t> offsets;
  if (std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return offsets;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      offsets.push_back(static_cast<std::uint32_t>(i));
  }
  offsets.push_back(static_cast<std::uint32_t>(text.size()));
  return offsets;
}

class Scanner {
 public:
  Scanner(const SourceMap& sources, FileId file, Diagnostics& out) : out_(out) {
    lexed_.file = file;
    lexed_.text = sources.file(file).text;
  }

  LexedFile run();

 private:
  void add_lexeme(std::size_t antlr_type, std::uint32_t begin, std::uint32_t end);
  void add_comment(std::size_t antlr_type, std::uint32_t begin, std::uint32_t end);
  void report(std::string code, std::string message, std::uint32_t begin, std::uint32_t end,
              std::string label, std::string help = "");
  void report_bad_character(const Lexeme& lexeme);
  void check_lexeme(Lexeme& lexeme);

  Diagnostics& out_;
  LexedFile lexed_;
  PlaceCounter places_{""};
  std::uint32_t last_line_ = 0;               // where the last lexeme or comment ended
  std::uint32_t last_lexeme_line_ = 0;        // where the last lexeme ended
  std::vector<std::uint32_t> open_comments_;  // begins of the nested comments that are open
  Comment comment_;
};

void Scanner::report(std::string code, std::string message, std::uint32_t begin, std::uint32_t end,
                     std::string label, std::string help) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.span = {lexed_.file, begin, end};
  diagnostic.label = std::move(label);
  if (!help.empty()) diagnostic.help.push_back(std::move(help));
  out_.add(std::move(diagnostic));
}

void Scanner::report_bad_character(const Lexeme& lexeme) {
  const std::string text(lexed_.text_of(lexeme));
  const bool visible = static_cast<unsigned char>(text[0]) > 0x20 && text[0] != 0x7F;
  std::string help;
  if (text == "\u201C" || text == "\u201D") help = "use the straight quote `\"`";
  if (text == "\u2018" || text == "\u2019") help = "use the straight quote `'`";
  if (text == "\u2013" || text == "\u2212") help = "use the hyphen `-` as minus";
  if (text == "'") help = "a prime belongs to the end of a name: `x'`";
  report("invalid-character",
         visible ? fmt::format("`{}` cannot stand here", text)
                 : fmt::format("the character with code {} cannot stand here",
                               static_cast<unsigned char>(text[0])),
         lexeme.begin, lexeme.end, "not part of any name, operator or number", help);
}

void Scanner::check_lexeme(Lexeme& lexeme) {
  const Lexeme* before = lexed_.lexemes.empty() ? nullptr : &lexed_.lexemes.back();
  const bool touches = before != nullptr && before->end == lexeme.begin;
  if (lexeme.kind == Kind::ErrChar) {
    lexeme.bad = true;
    if (!(touches && before->kind == Kind::ErrChar)) report_bad_character(lexeme);
  } else if (lexeme.kind == Kind::UnterminatedString) {
    lexeme.bad = true;
    report("unterminated-string", "this string has no closing quote", lexeme.begin, lexeme.end,
           "a string ends on the line where it starts", "add `\"`");
  } else if (lexeme.kind == Kind::Character) {
    lexeme.bad = true;
    report("no-characters", "there are no character literals", lexeme.begin, lexeme.end, "",
           "strings, in `error` and `assert`, have double quotes");
  } else if (touches && (before->kind == Kind::Integer || before->kind == Kind::Float)) {
    const bool sticks =
        lexeme.kind == Kind::VarId || lexeme.kind == Kind::ConId || lexeme.kind == Kind::Integer ||
        lexeme.kind == Kind::Float || lexeme.kind == Kind::Underscore ||
        (is_keyword(lexeme.kind) && lexeme.kind != Kind::Of && lexeme.kind != Kind::Then &&
         lexeme.kind != Kind::Else && lexeme.kind != Kind::In);
    if (sticks && !before->bad) {
      lexeme.bad = true;
      report("malformed-number", "this is not a number", before->begin, lexeme.end, "",
             "put a space between a number and a name");
    }
  }
}

void Scanner::add_lexeme(std::size_t antlr_type, std::uint32_t begin, std::uint32_t end) {
  Lexeme lexeme;
  lexeme.kind = kind_of_antlr(antlr_type);
  lexeme.begin = begin;
  lexeme.end = end;
  const LineColumn place = places_.at(begin);
  lexeme.line = place.line;
  lexeme.column = place.column;
  lexeme.first_on_line = place.line != last_lexeme_line_;
  lexeme.comments = static_cast<std::uint32_t>(lexed_.comments.size());
  check_lexeme(lexeme);
  lexed_.lexemes.push_back(lexeme);
  last_lexeme_line_ = last_line_ = places_.at(end).line;
}

void Scanner::add_comment(std::size_t antlr_type, std::uint32_t begin, std::uint32_t end) {
  const bool starts = antlr_type == DvmLexer::LINE_COMMENT || open_comments_.empty();
  if (starts) {
    const LineColumn place = places_.at(begin);
    comment_ = Comment{begin, end, place.line, place.column, place.line, place.line != last_line_};
  }
  if (antlr_type == DvmLexer::COMMENT_OPEN || antlr_type == DvmLexer::NESTED_OPEN)
    open_comments_.push_back(begin);
  if (antlr_type == DvmLexer::NESTED_CLOSE) open_comments_.pop_back();
  comment_.end = end;
  if (open_comments_.empty()) {
    comment_.end_line = places_.at(end).line;
    last_line_ = comment_.end_line;
    lexed_.comments.push_back(comment_);
  }
}

LexedFile Scanner::run() {
  const std::vector<std::uint32_t> offsets = code_point_offsets(lexed_.text);
  auto byte = [&](std::size_t code_point) {
    return offsets.empty() ? static_cast<std::uint32_t>(code_point) : offsets.at(code_point);
  };
  places_ = PlaceCounter(lexed_.text);
  antlr4::ANTLRInputStream input(lexed_.text);
  DvmLexer lexer(&input);
  lexer.removeErrorListeners();
  while (true) {
    const std::unique_ptr<antlr4::Token> token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF) break;
    const std::uint32_t begin = byte(token->getStartIndex());
    const std::uint32_t end = byte(token->getStopIndex() + 1);
    if (token->getChannel() != antlr4::Token::DEFAULT_CHANNEL) {
      add_comment(token->getType(), begin, end);
    } else {
      add_lexeme(token->getType(), begin, end);
    }
  }
  if (!open_comments_.empty()) {
    report("unterminated-comment", "this comment has no end", open_comments_.front(),
           open_comments_.front() + 2, "opened here", "close it with `-}`");
  }
  Lexeme end;
  end.begin = end.end = static_cast<std::uint32_t>(lexed_.text.size());
  const LineColumn place = places_.at(end.begin);
  end.line = place.line;
  end.column = place.column;
  end.comments = static_cast<std::uint32_t>(lexed_.comments.size());
  lexed_.lexemes.push_back(end);
  return std::move(lexed_);
}

// A bang between a blank or an opening bracket and something that starts a pattern or an operand.
void classify_bangs(LexedFile& file) {
  for (std::size_t i = 0; i + 1 < file.lexemes.size(); ++i) {
    Lexeme& bang = file.lexemes[i];
    if (bang.kind != Kind::Bang) continue;
    const Lexeme& after = file.lexemes[i + 1];
    const bool open_before =
        i == 0 || file.lexemes[i - 1].end != bang.begin ||
        file.lexemes[i - 1].kind == Kind::LParen || file.lexemes[i - 1].kind == Kind::LBracket ||
        file.lexemes[i - 1].kind == Kind::Comma || file.lexemes[i - 1].kind == Kind::Lambda;
    const bool tight_after = after.begin == bang.end && after.kind != Kind::RParen &&
                             after.kind != Kind::RBracket && after.kind != Kind::Comma &&
                             after.kind != Kind::End;
    if (open_before && tight_after) bang.kind = Kind::PrefixBang;
  }
}

// Never repairs: the first failure is written down and ends the attempt.
class FirstErrorStrategy : public antlr4::DefaultErrorStrategy {
 public:
  explicit FirstErrorStrategy(SyntaxError& error) : error_(error) {}

  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
  void sync(antlr4::Parser*) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    fail(*parser, parser->getCurrentToken(), true);
    return nullptr;
  }
  void recover(antlr4::Parser* parser, std::exception_ptr thrown) override {
    try {
      std::rethrow_exception(thrown);
    } catch (const antlr4::NoViableAltException& e) {
      fail(*parser, e.getOffendingToken(), e.getOffendingToken() == e.getStartToken());
    } catch (const antlr4::RecognitionException& e) {
      fail(*parser, e.getOffendingToken(), true);
    }
  }

 private:
  [[noreturn]] void fail(antlr4::Parser& parser, antlr4::Token* token, bool state_is_there) {
    error_.at = token->getStartIndex();
    if (state_is_there) {
      const antlr4::misc::IntervalSet expected = parser.getExpectedTokens();
      for (const ssize_t type : expected.toList()) {
        if (type != static_cast<ssize_t>(antlr4::Token::EPSILON))
          error_.expected.push_back(kind_of_antlr(static_cast<std::size_t>(type)));
      }
    }
    const std::vector<std::string>& names = parser.getRuleNames();
    for (antlr4::ParserRuleContext* context = parser.getContext(); context != nullptr;
         context = dynamic_cast<antlr4::ParserRuleContext*>(context->parent)) {
      const std::size_t first =
          context->start == nullptr ? error_.at : context->start->getStartIndex();
      error_.enclosing.push_back({names[context->getRuleIndex()], first});
      if (error_.enclosing.size() > 200) break;  // enough to explain
    }
    throw antlr4::ParseCancellationException();
  }

  SyntaxError& error_;
};

}  // namespace

TokenKind kind_of_antlr(std::size_t antlr_type) {
  static const std::vector<TokenKind> kinds = [] {
    std::vector<TokenKind> table(DvmLexer::NESTED_SIGN + 1, Kind::ErrChar);
    for (std::size_t i = 0; i + 1 < token_kinds; ++i)
      table.at(antlr_types[i]) = static_cast<Kind>(i);
    return table;
  }();
  return antlr_type < kinds.size() ? kinds[antlr_type] : Kind::End;
}

LexedFile lex(const SourceMap& sources, FileId file, Diagnostics& out) {
  LexedFile lexed = Scanner(sources, file, out).run();
  classify_bangs(lexed);
  return lexed;
}

// Tokens carry the index of their lexeme as start index; all have a real source, which ANTLR
// dereferences without asking.
struct TreeParser::Attempt {
  antlr4::ANTLRInputStream input;
  DvmLexer lexer{&input};
  std::unique_ptr<antlr4::ListTokenSource> list;
  std::unique_ptr<antlr4::CommonTokenStream> stream;
  std::unique_ptr<DvmParser> parser;
  SyntaxError error;

  Attempt(const LaidOut& source, Item item) {
    std::vector<std::unique_ptr<antlr4::Token>> tokens;
    tokens.reserve(item.end - item.begin + 1);
    auto add = [&](std::size_t type, std::size_t index) {
      const Lexeme& lexeme = source.lexeme(index);
      auto token = std::make_unique<antlr4::CommonToken>(
          std::pair<antlr4::TokenSource*, antlr4::CharStream*>{&lexer, &input}, type,
          antlr4::Token::DEFAULT_CHANNEL, index, index);
      token->setLine(lexeme.line);
      token->setCharPositionInLine(lexeme.column - 1);
      tokens.push_back(std::move(token));
    };
    for (std::size_t i = item.begin; i < item.end; ++i) {
      add(antlr_types[static_cast<std::size_t>(source.lexeme(i).kind)], i);
    }
    add(antlr4::Token::EOF, item.end);
    list = std::make_unique<antlr4::ListTokenSource>(std::move(tokens));
    stream = std::make_unique<antlr4::CommonTokenStream>(list.get());
    parser = std::make_unique<DvmParser>(stream.get());
    parser->removeErrorListeners();
    parser->setErrorHandler(std::make_shared<FirstErrorStrategy>(error));
  }
};

TreeParser::TreeParser(const LaidOut& source) : source_(source) {}
TreeParser::~TreeParser() = default;

template <class Context>
Result<Context*, SyntaxError> TreeParser::parse(Item item, Context* (DvmParser::*rule)(),
                                                bool may_retry) {
  for (const bool exact : {false, true}) {
    if (exact && !may_retry) break;
    attempt_ = std::make_unique<Attempt>(source_, item);
    attempt_->parser->getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        exact ? antlr4::atn::PredictionMode::LL : antlr4::atn::PredictionMode::SLL);
    try {
      return (attempt_->parser.get()->*rule)();
    } catch (const antlr4::ParseCancellationException&) {
      // the error is in attempt_->error
    }
  }
  return Failure{attempt_->error};
}

Result<DvmParser::FileHeaderContext*, SyntaxError> TreeParser::header(Item item) {
  return parse<DvmParser::FileHeaderContext>(item, &DvmParser::fileHeader, true);
}

Result<DvmParser::TopItemContext*, SyntaxError> TreeParser::item(Item item) {
  // Full LL carries the whole call stack along: not for what is long or may be deep.
  return parse<DvmParser::TopItemContext>(item, &DvmParser::topItem, item.end - item.begin < 2000);
}

}  // namespace dvm::parse
