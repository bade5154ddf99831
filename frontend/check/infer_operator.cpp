// Types of operators and their sections.
#include <utility>

#include "frontend/check/checker.hpp"
#include "frontend/check/mend.hpp"

namespace dvm::check {

// Chains of operators can be very long, to the left and to the right: an explicit stack stands in
// for recursion.
TypePtr Checker::infer_binary(ast::ExprId root) {
  struct Frame {
    ast::ExprId id;
    std::string name;
    bool applies = false, applies_to = false;  // `$` and `&`
    int stage = 0;
    std::size_t coerced_mark = 0, index_mark = 0, errors = 0;
    TypePtr op = nullptr, left = nullptr, delayed = nullptr;
  };
  auto is_binary = [&](ast::ExprId id) {
    return std::holds_alternative<ast::Binary>(node(id).node);
  };
  std::vector<Frame> stack;
  auto enter = [&](ast::ExprId id) {
    Frame frame;
    frame.id = id;
    frame.coerced_mark = coerced_.size();
    frame.index_mark = indices_.size();
    frame.errors = out_.error_count();
    const auto& binary = std::get<ast::Binary>(node(id).node);
    frame.name = head_name(binary.op);
    std::string prelude = prelude_name(binary.op);
    frame.applies = prelude == "$";
    frame.applies_to = prelude == "&";
    stack.push_back(std::move(frame));
  };
  auto operand = [&](const Frame& frame, bool left, ast::ExprId id) {
    Reason reason;
    reason.where = left ? Where::LeftOperand : Where::RightOperand;
    reason.span = node(id).span;
    reason.name = frame.name;
    return reason;
  };
  TypePtr value = nullptr;  // of the operand just finished; null: not inferred yet
  enter(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    ast::ExprId id = frame.id;
    const auto binary = std::get<ast::Binary>(node(id).node);
    bool application = frame.applies || frame.applies_to;
    if (frame.stage == 0) {
      frame.stage = 1;
      if (!application) frame.op = infer(binary.op);
      value = nullptr;
      if (is_binary(binary.lhs))
        enter(binary.lhs);
      else if (application)
        value = infer(binary.lhs);
      continue;
    }
    if (frame.stage == 1) {
      frame.stage = 2;
      frame.left = value;
      if (!application) {
        TypePtr fn = expect_function(frame.op, binary.op, 1, node(binary.lhs).span);
        if (fn->kind == Kind::Error) {
          if (!value) infer(binary.lhs);
          frame.op = fn;
        } else {
          const ast::Expr& bare = node(strip(binary.lhs));
          if (!value && std::holds_alternative<ast::Lambda>(bare.node))
            frame.delayed = fn;
          else
            check_argument(fn, binary.lhs, value, operand(frame, true, binary.lhs));
          frame.op = fn->parts[1];
        }
      }
      value = nullptr;
      if (is_binary(binary.rhs))
        enter(binary.rhs);
      else if (frame.applies_to)
        value = infer(binary.rhs);
      continue;
    }
    TypePtr type = store_.error();
    if (application) {
      ast::ExprId function = frame.applies ? binary.lhs : binary.rhs;
      ast::ExprId arg = frame.applies ? binary.rhs : binary.lhs;
      TypePtr arg_type = frame.applies ? value : frame.left;
      int number = 1;
      for (ast::ExprId at = strip(function); auto* apply = std::get_if<ast::Apply>(&node(at).node);
           at = strip(apply->fn))
        ++number;
      TypePtr fn =
          expect_function(frame.applies ? frame.left : value, function, number, node(arg).span);
      if (fn->kind == Kind::Error) {
        if (!arg_type) infer(arg);
      } else {
        Reason reason;
        reason.where = Where::Argument;
        reason.span = node(arg).span;
        reason.name = head_name(function);
        reason.number = number;
        check_argument(fn, arg, arg_type, reason);
        type = open_result(fn, id, reason.name);
        uses_.emplace_back();
        uses_.back().binding = BindingId{references_[strip(binary.op)].id};
        uses_.back().type_args = {fn->parts[0], type};
        use_index_[binary.op] = static_cast<std::int32_t>(uses_.size() - 1);
        TypePtr plain = store_.function(fn->parts[0], type);
        expr_types_[binary.op] = frame.applies
                                     ? store_.function(plain, plain)
                                     : store_.function(fn->parts[0], store_.function(plain, type));
      }
    } else {
      TypePtr fn = expect_function(frame.op, binary.op, 2, node(binary.rhs).span);
      if (fn->kind == Kind::Error) {
        if (!value) infer(binary.rhs);
      } else {
        check_argument(fn, binary.rhs, value, operand(frame, false, binary.rhs));
        if (frame.delayed)
          check_argument(frame.delayed, binary.lhs, nullptr, operand(frame, true, binary.lhs));
        type = open_result(fn, id, frame.name);
      }
    }
    retry_indices(frame.index_mark, false);
    type = finish_application(id, type, frame.coerced_mark);
    if (out_.error_count() > frame.errors) type = store_.error();
    expr_types_[id] = type;
    value = type;
    stack.pop_back();
  }
  return value;
}

TypePtr Checker::infer_section(ast::ExprId expr) {
  std::size_t coerced_mark = coerced_.size(), index_mark = indices_.size();
  TypePtr type = store_.error();
  Reason reason;
  if (auto* left = std::get_if<ast::LeftSection>(&node(expr).node)) {
    reason.where = Where::LeftOperand;
    reason.name = head_name(left->op);
    reason.span = node(left->lhs).span;
    TypePtr fn = expect_function(infer(left->op), left->op, 1, reason.span);
    if (fn->kind == Kind::Error) {
      infer(left->lhs);
      return fn;
    }
    check_argument(fn, left->lhs, nullptr, reason);
    type = open_result(fn, expr, reason.name);
  } else {
    const auto& right = std::get<ast::RightSection>(node(expr).node);
    reason.where = Where::RightOperand;
    reason.name = head_name(right.op);
    reason.span = node(right.rhs).span;
    TypePtr first = expect_function(infer(right.op), right.op, 1, reason.span);
    TypePtr second = first->kind == Kind::Error
                         ? first
                         : expect_function(first->parts[1], right.op, 2, reason.span);
    if (second->kind == Kind::Error) {
      infer(right.rhs);
      return second;
    }
    check_argument(second, right.rhs, nullptr, reason);
    std::optional<Size> size;
    if (!first->sizes.empty()) size = first->sizes[0];
    type = store_.function(first->parts[0], second->parts[1], size, second->exists);
  }
  retry_indices(index_mark, false);
  return finish_application(expr, type, coerced_mark);
}

}  // namespace dvm::check
