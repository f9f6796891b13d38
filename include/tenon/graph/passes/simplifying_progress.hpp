// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/passes/rewrites.hpp>

namespace tenon::passes {

// The state of a simplifier between two evaluations.
struct simplifying_progress {
  static constexpr int deepest = 96;

  struct frame {
    int source = -1;  // region of the source
    int next = 0;     // its next node
    int target = -1;  // region of the target that it is written to
    int owner = -1;   // node of the source that it belongs to
    int region = 0;   // how many regions of the node at `next` are written
    bool inlined = false;
  };
  frame stack[deepest]{};
  int depth = 0;
  bool begun = false;
  const char* failure = nullptr;      // why the function cannot be written
  int failed_at = -1;                 // where that is in the text
  int steps = 0;                      // nodes and regions so far
  int hoisted = 0;                    // nodes that are written in front of loops
  bool keeps_loops = false;           // nothing is hoisted: the pass of bounded dimensions takes regions as they are
  unsigned switched_off = 0;          // a bit for each rewrite that is not applied
  int applied[all_rewrites::size]{};  // how often each was
  static constexpr int hashes = 512;
  int heads[hashes]{};  // the last node of the target with each hash, plus one; 0: none
};

// The regions of the target that are being written, from the outermost on.
class open_regions {
 public:
  constexpr open_regions(const graph& from, const table<int>& values, const simplifying_progress& progress)
      : from_(from), values_(values), progress_(progress) {
    for (int i = 0; i < progress.depth; ++i) {
      if (progress.stack[i].inlined) continue;
      frames_[size_++] = i;
      has_loops_ = has_loops_ || is_loop(size_ - 1);
    }
  }

  constexpr int size() const { return size_; }
  constexpr bool has_loops() const { return has_loops_; }
  constexpr int region(int level) const { return frame(level).target; }
  // Whether it runs in every iteration of a loop.
  constexpr bool is_loop(int level) const {
    const int owner = frame(level).owner;
    return owner >= 0 && facts_of(from_.nodes.data[owner].kind).carries_in_place;
  }
  // The value of the target that an argument of a loop is in all iterations; -1: there is none.
  constexpr int given_to(int level, int argument) const {
    const graph_node& loop = from_.nodes.data[frame(level).owner];
    const graph_region& body = from_.regions.data[from_.regions_of(loop)[1]];
    const bool stays = from_.yields_of(body)[argument] == body.arguments + argument;
    return stays ? values_.data[from_.operands_of(loop)[argument]] : -1;
  }

 private:
  const graph& from_;
  const table<int>& values_;
  const simplifying_progress& progress_;
  int frames_[simplifying_progress::deepest]{};
  int size_ = 0;
  bool has_loops_ = false;

  constexpr const simplifying_progress::frame& frame(int level) const { return progress_.stack[frames_[level]]; }
};

}  // namespace tenon::passes
