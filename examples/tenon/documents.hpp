// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

// What else can be said of the options: all of it from the table that reads them.

inline std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  return names;
}

inline void print_man_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : names_of(*option);
    std::printf(".TP\n.B %s\n%s\n", (name + " " + option->get_type_name()).c_str(), option->get_description().c_str());
  }
}

// man -l <(tenon --man)
inline void print_man(const CLI::App& app) {
  const std::string name = app.get_name();
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::string upper = name;
  for (char& c : upper) c = char(std::toupper(static_cast<unsigned char>(c)));
  std::printf(".TH %s 1 \"\" \"%s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n%s\n.SH OPTIONS\n", upper.c_str(),
              app.version().c_str(), name.c_str(), app.get_description().c_str(), name.c_str(),
              commands.empty() ? "[OPTIONS] MODEL [ARGUMENTS...]" : "COMMAND [OPTIONS] MODEL ...");
  print_man_options(app);
  for (const CLI::App* each : commands) {
    std::printf(".SH %s %s\n%s.\n", name.c_str(), each->get_name().c_str(), each->get_description().c_str());
    print_man_options(*each);
  }
}

// source <(tenon --completion)
inline void print_completion(const CLI::App& app) {
  std::string options, commands, function = "_" + app.get_name();
  const auto add_options = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options())
      for (const std::string& name : option->get_lnames())
        if ((options + " ").find("--" + name + " ") == options.npos) options += (options.empty() ? "--" : " --") + name;
  };
  add_options(app);
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands += (commands.empty() ? "" : " ") + each->get_name();
    add_options(*each);
  }
  for (char& c : function)
    if (c == '-') c = '_';
  std::printf(
      "%s() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]}\n"
      "  if [[ $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\")\n"
      "  elif [[ -n '%s' && $COMP_CWORD -eq 1 ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F %s %s\n",
      function.c_str(), options.c_str(), commands.c_str(), commands.c_str(), function.c_str(), app.get_name().c_str());
}
