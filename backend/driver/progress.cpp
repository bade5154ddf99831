// The engine calls from one thread of its own, and not any more once a run has ended.
#include "backend/driver/progress.hpp"

#include <fmt/format.h>

#include <ostream>

namespace dvm::driver {

ProgressLine::~ProgressLine() {
  if (shown_) console_.err << "\r\x1b[K" << std::flush;
}

std::function<void(const engine::Progress&)> ProgressLine::callback() {
  if (!console_.terminal) return {};
  return [this](const engine::Progress& progress) {
    shown_ = true;
    console_.err << fmt::format("\r\x1b[K{:.0f} s, {} tasks done", progress.seconds, progress.tasks)
                 << std::flush;
  };
}

}  // namespace dvm::driver
