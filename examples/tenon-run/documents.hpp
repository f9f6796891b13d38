// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

// What else can be said of the options: all of it from the table that reads them.

inline std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  return names;
}

// man -l <(tenon-run --man)
inline void print_man(const CLI::App& app) {
  std::printf(
      ".TH TENON-RUN 1 \"\" \"%s\"\n.SH NAME\ntenon-run \\- %s\n.SH SYNOPSIS\n.B tenon-run\n[OPTIONS] MODEL "
      "[ARGUMENTS...]\n.SH OPTIONS\n",
      app.version().c_str(), app.get_description().c_str());
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : names_of(*option);
    std::printf(".TP\n.B %s\n%s\n", (name + " " + option->get_type_name()).c_str(), option->get_description().c_str());
  }
}

// source <(tenon-run --completion)
inline void print_completion(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words += (words.empty() ? "--" : " --") + name;
  std::printf(
      "_tenon_run() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]}\n"
      "  if [[ $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _tenon_run tenon-run\n",
      words.c_str());
}
