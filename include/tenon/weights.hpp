// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs of tensors from files with names, .npz and .safetensors. Needs Boost, as <tenon/tree.hpp> does.
//
//   struct network { BOOST_HANA_DEFINE_STRUCT(network, (tensor<f32, 4, 2>, weights), (tensor<f32, 2>, biases)); };
//   network net;
//   load_weights("net.safetensors", net);

#include <tenon/core/lanes_note.hpp>
#include <tenon/files/weights_file.hpp>
#include <tenon/tree.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tenon {

namespace detail {

// Calls f(path, leaf) for the leaves: "layers.0.weights".
template <class Tree, class Function>
void for_each_leaf(Tree& tree, const std::string& path, Function& f) {
  if constexpr (execution::is_tree<Tree>) {
    with_children<Tree>([&](auto... i) {
      const auto visit_one = [&](auto number) {
        message_text<200> name;
        write_name_of_child<Tree, number>(name);
        for_each_leaf(child<number>(tree), (path.empty() ? "" : path + ".") + std::string(name.view()), f);
      };
      (visit_one(i), ...);
      return 0;
    });
  } else {
    f(path, tree);
  }
}

template <class Leaf>
std::span<std::byte> bytes_of_leaf(Leaf& leaf) {
  const auto bytes = std::size_t(byte_size(type_of_argument<Leaf>));
  if constexpr (requires { leaf.data(); })
    return {reinterpret_cast<std::byte*>(leaf.data()), bytes};
  else
    return {reinterpret_cast<std::byte*>(&leaf), bytes};
}

}  // namespace detail

// Reads the members of a struct of tensors from the entries of an .npz or .safetensors file that have their paths:
// "layers.0.weights", or "params/layers/0/weights". A member without an entry, an entry without a member, or one of
// another element type or shape is a failure that says both, and the struct is as it was.
template <class Tree>
  requires(execution::is_tree<Tree>)
void load_weights(const char* path, Tree& tree) {
  const weights_file file(path);
  std::vector<wanted_weight> wanted;
  const auto add = [&]<class Leaf>(const std::string& name, Leaf&) {
    wanted.push_back({name, "", detail::type_of_argument<Leaf>});
  };
  detail::for_each_leaf(tree, "", add);
  const std::vector<int> entries = file.find(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (entries[i] < 0) fail(path, ": member ", wanted[i].path, ", ", wanted[i].type, ", is not in the file");
    file.check(entries[i], "member " + wanted[i].path, wanted[i].type);
  }
  std::size_t next = 0;
  const auto read = [&]<class Leaf>(const std::string&, Leaf& leaf) {
    file.read(entries[next], wanted[next].type, detail::bytes_of_leaf(leaf));
    ++next;
  };
  detail::for_each_leaf(tree, "", read);
}

}  // namespace tenon
