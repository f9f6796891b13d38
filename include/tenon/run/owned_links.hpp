// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/owned.hpp>
#include <tenon/run/link.hpp>

namespace tenon::execution {

// The calls of a plan, linked at run time. Graph and plan may move, but what their tables hold may not.
class owned_links {
 public:
  owned_links() = default;
  owned_links(const graph& g, const plan& p) : owned_links(g, p, sizes_of_linked(g, p)) {}

  linked_calls calls() const { return tables_.calls(regions_.open().data); }

 private:
  linked_tables tables_;
  owned_tables<linked_list> memory_;
  owned_table<signature> regions_;

  owned_links(const graph& g, const plan& p, const linked_sizes& sizes)
      : memory_(tables_, sizes), regions_(sizes.regions) {
    link(g, p, tables_);
    link_regions(g, p, tables_.inner.data, regions_.open().data);
  }
};

}  // namespace tenon::execution
