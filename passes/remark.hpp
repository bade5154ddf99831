// What passes did and why, as data: `dvmc explain` puts it beside the lines of the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

struct Remark {
  enum class Kind : std::uint8_t {
    Done,  // the pass rewrote it
    Kept,  // the pass looked at it and left it as it was
  };
  Kind kind = Kind::Done;
  std::string_view verdict =
      {};                        // a word that stays the same between versions: `result`, `traffic`
  std::string_view op = {};      // mnemonic of the operation that makes the array; may be empty
  graph::LocId loc = {};         // of that operation; none for what concerns the whole program
  std::string array = {};        // its name in the source; empty when it has none
  std::string type = {};         // `f64[n, m]`, sizes by their names
  std::string reason = {};       // one sentence without capital and period, with what decided
  graph::LocId other = {};       // the operation that the reason speaks of, such as a reader
  std::string other_array = {};  // the first array that it makes, by its name
  std::string_view pass = {};    // set when added, as is `position`
  std::size_t position = 0;      // which execution in the pipeline, from 1
};

// Collects what the passes of a run say. A pass gets a pointer that is null when nobody asked, and
// then spends nothing on remarks.
class Remarks {
 public:
  // What is added from now on is said by this execution.
  void begin(std::string_view pass, std::size_t position) {
    pass_ = pass;
    position_ = position;
  }
  void add(Remark remark) {
    remark.pass = pass_;
    remark.position = position_;
    all_.push_back(std::move(remark));
  }
  const std::vector<Remark>& all() const { return all_; }  // in the order of the passes

 private:
  std::vector<Remark> all_;
  std::string_view pass_;
  std::size_t position_ = 0;
};

}  // namespace dvm::passes
