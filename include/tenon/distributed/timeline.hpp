// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/distributed/process_grid.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace tenon {

// Something that a process waited for, in seconds since the run began.
struct timeline_event {
  int process = 0;
  std::string op;
  index_t channel_id = 0;
  double begin = 0, met = -1, end = 0;  // met: when the last of the others came, or -1 if the run ended before
  int meeting = -1;                     // the same for all that have met
  int sender = -1;                      // of what was received
  double sent = 0;
};

// Who waited for whom in a run of a simulated_grid.
struct grid_timeline {
  process_grid grid;
  std::vector<timeline_event> events;
};

// A picture: a line of boxes for each process, light where it waits, full where all are there, red where nobody came. A
// line leads from process to process for each meeting, and from sender to receiver for each message.
inline std::string to_svg(const grid_timeline& timeline) {
  const int count = timeline.grid.size(), left = 70, width = 1000;
  const double row = count <= 40 ? 18 : count <= 200 ? 6 : 2;
  double seconds = 1e-6;
  for (const timeline_event& each : timeline.events) seconds = each.end > seconds ? each.end : seconds;
  const auto x = [&](double time) { return left + time / seconds * width; };
  const auto y = [&](int process) { return 24 + row * process; };
  std::string svg;
  const auto put = [&](const char* format, auto... values) {
    char text[400];
    std::snprintf(text, sizeof text, format, values...);
    svg += text;
  };
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n",
      left + width + 20, y(count) + 12);
  put("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"14\">0</text>"
      "<text x=\"%d\" y=\"14\" text-anchor=\"end\">%.3g ms</text>\n",
      left, left + width, 1000 * seconds);
  for (int process = 0; process < count; ++process) {
    const process_id id = process_at(timeline.grid, process);
    if (row > 10) put("<text x=\"6\" y=\"%.1f\">(%d, %d)</text>\n", y(process) + 12, id.replica, id.partition);
    put("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", left, left + width,
        y(process) + row / 2, y(process) + row / 2);
  }
  const char* const colors[] = {"#4878a8", "#6a9f58", "#b07aa1", "#d98a3d", "#7a6a5a", "#4fa3a5"};
  std::map<std::string, int> color_of;
  struct span {
    int first, last;
    double met;
  };
  std::map<int, span> meetings;
  for (const timeline_event& each : timeline.events) {
    const auto color = color_of.try_emplace(each.op, int(color_of.size()) % 6).first->second;
    const double met = each.met < 0 ? each.end : each.met;
    put("<g><title>%.60s, channel %lld: waits %.3g ms</title>", each.op.c_str(),
        static_cast<long long>(each.channel_id), 1000 * (met - each.begin));
    put("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"0.3\"/>", x(each.begin),
        y(each.process) + row / 8, x(met) - x(each.begin) + 0.5, row * 0.75, each.met < 0 ? "#c02020" : colors[color]);
    if (each.met >= 0)
      put("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>", x(met), y(each.process) + row / 8,
          x(each.end) - x(met) + 0.5, row * 0.75, colors[color]);
    svg += "</g>\n";
    if (each.sender >= 0)
      put("<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#444\"/>\n", x(each.sent), x(each.end),
          y(each.sender) + row / 2, y(each.process) + row / 2);
    if (each.meeting < 0 || each.met < 0) continue;
    span& of = meetings.try_emplace(each.meeting, span{each.process, each.process, each.met}).first->second;
    of.first = each.process < of.first ? each.process : of.first;
    of.last = each.process > of.last ? each.process : of.last;
  }
  for (const auto& [number, of] : meetings)
    put("<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#444\"/>\n", x(of.met), x(of.met),
        y(of.first) + row / 2, y(of.last) + row / 2);
  return svg + "</svg>\n";
}

}  // namespace tenon
