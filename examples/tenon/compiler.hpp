// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// How an object is compiled.
struct compiler_settings {
  std::string compiler;  // none: $CXX, or that of the target
  std::string target;    // none: this machine
  std::string march = "native";
  std::vector<std::string> flags, include_folders;
  bool is_shared = false;  // the object goes into a shared library, too
};

// Names of targets, for messages.
std::string names_of_targets();
// Whether objects of the target are linked with an operating system.
bool is_hosted(const compiler_settings& how);

// Compiles the source in a folder, which is searched for what it includes. Fails with the first error and the command.
void compile_object(const compiler_settings& how, const std::string& folder, const std::string& source,
                    const std::string& object);
void link_shared(const compiler_settings& how, const std::string& folder, const std::string& object,
                 const std::string& library);
void make_archive(const compiler_settings& how, const std::string& folder, const std::string& object,
                  const std::string& library);
