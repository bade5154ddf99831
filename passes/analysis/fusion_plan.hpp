// Which arrays are better computed where they are read than stored: the decisions of fuse-maps.
#pragma once

#include <vector>

#include "ir/graph/affine.hpp"
#include "ir/graph/graph.hpp"
#include "passes/analysis/fusion_decision.hpp"
#include "passes/analysis/packed_reads.hpp"
#include "passes/analysis/ranges.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

class FusionPlan {
 public:
  // `decisions`: gets why each array is fused or not, in program order; may be null.
  explicit FusionPlan(const graph::Function& function,
                      std::vector<FusionDecision>* decisions = nullptr);

  // A result of a map; all its reads are replaced by the map's body.
  bool is_fused(graph::ValueId array) const { return fused_.at(array.index); }
  bool any() const { return any_; }

 private:
  // Work of one evaluation of a body, producers that go into it included.
  struct BodyCost {
    double operations = 0;
    double read_bytes = 0;
    double nodes = 0;
    int depth = 0;       // of producers inside producers
    bool heavy = false;  // contains reductions, loops, calls, or local arrays
  };
  // What all reads of an array add up to.
  struct Demand {
    bool only_reads = true;  // by reads that may be replaced
    bool reads_all = true;   // each reader reads each element once, unconditionally
    double evaluations = 0;  // per element
    double streams = 0;      // how often the array would go through memory
    bool into_maps = true;   // every read stands directly in a map's body
    // Of the first use that is not such a read.
    FusionVerdict obstacle = FusionVerdict::Fused;
    graph::NodeId reader;
  };

  void visit(graph::RegionId region);
  void decide(graph::NodeId node);
  BodyCost body_cost(graph::RegionId region) const;
  void add_node_cost(graph::NodeId node, BodyCost& cost) const;
  Demand demand(const std::vector<graph::ValueId>& arrays, graph::NodeId producer) const;
  void add_read(graph::NodeId read, graph::ValueId array, graph::NodeId producer, bool first,
                Demand& demand) const;
  bool needs_failing_indices(graph::NodeId read, graph::NodeId producer) const;
  std::vector<bool> needed_indices(graph::NodeId map) const;
  bool reads_every_element(graph::NodeId read, graph::NodeId producer) const;
  // Fused when it pays. Fills in the figures.
  FusionVerdict weigh(const BodyCost& cost, const Demand& demand, double bytes, bool producer_stays,
                      FusionDecision& figures) const;
  FusionVerdict obstacle(const Use& use, graph::NodeId producer) const;
  void note(graph::ValueId array, FusionVerdict verdict, const Demand& demand,
            FusionDecision figures);
  void note_made_at_once(const graph::Node& node);

  const graph::Function& function_;
  graph::AffineForms forms_;
  Ranges ranges_;
  Users users_;
  std::vector<bool> safe_;                      // by value: cannot fail
  std::vector<bool> needed_;                    // by node: whenever its region is evaluated
  std::vector<bool> fused_;                     // by value
  std::vector<std::vector<bool>> needs_index_;  // by node; of maps that were decided
  std::vector<BodyCost> costs_;                 // by node; of maps
  mutable PackedReads packed_;
  bool packs_ = false;  // contractions can take the producer that is being decided
  std::vector<FusionDecision>* decisions_;
  bool any_ = false;
};

}  // namespace dvm::passes
