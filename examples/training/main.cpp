// SPDX-License-Identifier: Apache-2.0
//
// training [EPOCHS [PICTURE.svg]], in its folder: four processes train the digit classifier together, each on a quarter
// of every batch; the step was written in JAX, with the mean of gradients over devices (export.py). All processes have
// the same weights to the last bit, and those of one process that sees whole batches but for the order of additions.
// The same under MPI: tests/mpi/training.cpp.

#include "training.hpp"

#include <tenon/distributed/simulated.hpp>
#include <tenon/kernels/all.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

using namespace training;

constexpr int processes = 4;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void draw(const char* path, const std::vector<f32>& together, const std::vector<f32>& alone) {
  std::ofstream out(path);
  constexpr int left = 50, top = 20, width = 600, height = 300;
  const auto line = [&](const std::vector<f32>& losses, const char* style) {
    out << "<polyline fill=\"none\" " << style << " points=\"";
    for (std::size_t i = 0; i < losses.size(); ++i)
      out << left + double(width) * double(i) / double(losses.size() - 1) << ","
          << top + height - height * std::min(2.5, double(losses[i])) / 2.5 << " ";
    out << "\"/>\n";
  };
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" height=\"370\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (int tick = 0; tick <= 5; ++tick)
    out << "<text x=\"20\" y=\"" << top + height - tick * 60 + 4 << "\">" << tick * 0.5 << "</text><line x1=\"" << left
        << "\" x2=\"" << left + width << "\" y1=\"" << top + height - tick * 60 << "\" y2=\""
        << top + height - tick * 60 << "\" stroke=\"#ddd\"/>\n";
  line(alone, "stroke=\"#d98a3d\" stroke-width=\"4\"");
  line(together, "stroke=\"#305080\" stroke-width=\"1.2\"");
  out << "<text x=\"" << left << "\" y=\"355\">loss after each of " << together.size()
      << " batches: four processes (blue) over one process (orange)</text>\n</svg>\n";
}

int run(int epochs, const char* picture) {
  const examples data("../digits");
  const std::string text_1 = read_text("step_1.hlo"), text_4 = read_text("step_4.hlo");
  loaded_program step_1(text_1, &find_any_kernel), step_4(text_4, &find_any_kernel);
  for (const loaded_program* step : {&step_1, &step_4})
    if (!*step) fail("line ", step->error().line, ": ", std::string_view(step->error().sentence));

  parameters whole = first_parameters(step_1);
  std::vector<f32> losses_alone, losses;
  double began = seconds();
  alone by_itself;
  by_itself.run([&](process_context& process) { losses_alone = train(step_1, data, epochs, process, whole); });
  const double time_alone = seconds() - began;

  std::vector<parameters> weights(processes, first_parameters(step_4));
  simulated_grid grid({1, processes});
  began = seconds();
  grid.run([&](process_context& process) {
    const int at = process.id().partition;
    const std::vector<f32> own = train(step_4, data, epochs, process, weights[std::size_t(at)]);
    if (at == 0) losses = own;
  });
  const double time_together = seconds() - began;

  bool same = true;
  for (const parameters& each : weights) same = same && same_bits(each, weights[0]);
  const double difference = largest_difference(whole, weights[0]);
  std::printf("loss %.4f after the first batch, %.4f after the last of %zu\n", double(losses.front()),
              double(losses.back()), losses.size());
  std::printf("%s on all processes; at most %.1g away from those of one process\n",
              same ? "the same weights" : "different weights", difference);
  std::fprintf(stderr, "one process %.2f s, four %.2f s\n", time_alone, time_together);
  if (picture != nullptr) draw(picture, losses, losses_alone);
  return same && difference < 1e-2 && losses.back() < losses.front() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? std::atoi(words[1]) : 10, count > 2 ? words[2] : nullptr);
  } catch (const tenon::error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
