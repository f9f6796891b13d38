// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// How the text of a program calls an argument or a result. `path` is where it came from in the program that exported
// it, "params['layers'][0]['w']", and empty where the text does not say so.
struct value_name {
  std::string name, path;
};
struct function_names {
  std::vector<value_name> arguments, results;
};

// The names in StableHLO or HLO text, which may be any text: what is not found is called arg0 ..., result0 ...
function_names names_in(std::string_view text, std::string_view function, int arguments, int results);

// "params['layers'][0]['w']", "params/layers/0/w" and "params.layers.0.w" have the same components.
std::vector<std::string> components_of(std::string_view path);
