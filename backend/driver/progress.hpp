// A line that says how far a long run is, where somebody watches.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backend/driver/console.hpp"
#include "backend/engine/engine.hpp"

namespace dvm::driver {

// Prints over the same line again and again; the line is removed with the object.
class ProgressLine {
 public:
  explicit ProgressLine(const Console& console) : console_(console) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For the engine; empty where nobody watches.
  std::function<void(const engine::Progress&)> callback();

 private:
  const Console& console_;
  bool shown_ = false;
};

}  // namespace dvm::driver
