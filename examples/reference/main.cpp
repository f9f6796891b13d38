// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

int main() {
  arrays();
  elementwise();
  special_functions();
  movement();
  lookup();
  creation();
  reduction();
  contraction();
  control();
  collective();
  decompositions();
}
