// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/growing.hpp>

#include <string>

// The program that gives the value of another one and its gradients by the arguments with these numbers ("0,2").
tenon::ir::growing_graph gradient_of(const std::string& model, const std::string& text, const std::string& arguments);
