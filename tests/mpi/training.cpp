// SPDX-License-Identifier: Apache-2.0
//
// training FOLDER, of examples/training: four ranks train together and get the weights of the simulated grid, bit by
// bit.
#include <tenon/distributed/mpi.hpp>

#include <training/training.hpp>

#include <tenon/distributed/simulated.hpp>
#include <tenon/kernels/all.hpp>

#include <cstdio>

int main(int count, char** words) {
  using namespace training;
  const std::string folder = count > 1 ? words[1] : ".";
  constexpr int epochs = 1;
  mpi_grid grid(process_grid{1, mpi_grid::process_count()});
  int good = 0;
  grid.run([&](process_context& process) {
    const examples data(folder + "/../digits");
    const std::string text = read_text(folder + "/step_4.hlo");
    const loaded_program step(text, &find_any_kernel);
    if (!step) fail(std::string_view(step.error().sentence));
    parameters own = first_parameters(step);
    train(step, data, epochs, process, own);
    if (flat_id(grid.grid(), process.id()) > 0) return;
    parameters expected = own;
    simulated_grid threads(grid.grid());
    threads.run([&](process_context& thread) {
      parameters weights = first_parameters(step);
      train(step, data, epochs, thread, weights);
      if (thread.id() == process.id()) expected = weights;
    });
    good = same_bits(own, expected) ? 1 : -1;
  });
  if (good == 1) std::puts("the same weights as on the simulated grid");
  return good < 0 ? 1 : 0;
}
