// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/link.hpp>

#include <vector>

namespace tenon::execution {

// The calls of a plan, linked at run time. Graph and plan may move, but what their tables hold may not.
class owned_links {
 public:
  owned_links() = default;
  owned_links(const graph& g, const plan& p) {
    const linked_sizes sizes = sizes_of_linked(g, p);
    steps_.resize(std::size_t(p.steps.size));
    types_.resize(std::size_t(sizes.types)), inner_.resize(std::size_t(sizes.inner));
    strides_.resize(std::size_t(sizes.strides)), places_.resize(std::size_t(sizes.places));
    regions_.resize(std::size_t(sizes.regions)), program_of_region_.resize(std::size_t(sizes.regions));
    programs_.resize(std::size_t(sizes.programs)), products_.resize(std::size_t(sizes.products));
    linked_tables tables{over(steps_),    over(types_),   over(inner_),
                         over(strides_),  over(places_),  over(program_of_region_),
                         over(programs_), over(products_)};
    link(g, p, tables);
    link_regions(g, p, inner_.data(), regions_.data());
  }

  linked_calls calls() const {
    return {steps_.data(),    types_.data(),   strides_.data(),
            places_.data(),   regions_.data(), program_of_region_.data(),
            programs_.data(), products_.data()};
  }

 private:
  std::vector<linked_call> steps_;
  std::vector<tensor_type> types_, inner_;
  std::vector<ints> strides_;
  std::vector<place> places_;
  std::vector<signature> regions_;
  std::vector<int> program_of_region_;
  std::vector<lane_program> programs_;
  std::vector<joined_product> products_;

  template <class T>
  static table<T> over(std::vector<T>& memory) {
    return {memory.data(), 0, int(memory.size())};
  }
};

}  // namespace tenon::execution
