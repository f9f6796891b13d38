// SPDX-License-Identifier: Apache-2.0
//
// A Cortex-M board without an operating system: vectors, start-up code, and input and output by semihosting, which a
// debugger or an emulator answers.

#include "../board.hpp"

#include <cstddef>

extern "C" {
extern unsigned char data_start[], data_end[], data_in_flash[], bss_start[], bss_end[], stack_limit[], stack_top[];
int main();
[[noreturn]] void reset();
[[noreturn]] void fault();
}

// The first words of flash: where the stack begins, and who handles what.
using handler = void (*)();
struct vector_table {
  void* stack;
  handler handlers[15];
};
[[gnu::section(".vectors"), gnu::used]] const vector_table vectors{stack_top,
                                                                   {reset, fault, fault, fault, fault, fault}};

namespace {

template <class T>
volatile T& at(std::uint32_t address) {
  return *reinterpret_cast<volatile T*>(address);
}

int semihosting(int operation, const void* argument) {
  register int r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

constexpr unsigned char paint = 0xA5;

// The timer counts down 24 bits of ticks.
constexpr std::uint32_t timer_control = 0xE000E010, timer_reload = 0xE000E014, timer_value = 0xE000E018;
constexpr std::uint32_t coprocessor_access = 0xE000ED88;

std::uint32_t ticks_of(int loops) {
  const std::uint32_t start = at<std::uint32_t>(timer_value);
  asm volatile("0: subs %0, #1\n bne 0b" : "+l"(loops) : : "cc");
  return (start - at<std::uint32_t>(timer_value)) & 0xFFFFFF;
}

}  // namespace

extern "C" void reset() {
  // Floating point is off after a reset.
  at<std::uint32_t>(coprocessor_access) = at<std::uint32_t>(coprocessor_access) | 0xFu << 20;
  asm volatile("dsb\n isb");
  for (std::size_t i = 0; i < std::size_t(data_end - data_start); ++i) data_start[i] = data_in_flash[i];
  for (unsigned char* p = bss_start; p < bss_end; ++p) *p = 0;
  // Below this function's own part of the stack.
  const unsigned char* const used = static_cast<unsigned char*>(__builtin_frame_address(0)) - 64;
  for (volatile unsigned char* p = stack_limit; p < used; ++p) *p = paint;
  at<std::uint32_t>(timer_reload) = 0xFFFFFF;
  at<std::uint32_t>(timer_value) = 0;
  at<std::uint32_t>(timer_control) = 5;
  board::stop(main());
}

extern "C" void fault() {
  board::write("fault\n");
  board::stop(2);
}

void board::write(const char* text) { semihosting(0x04, text); }

bool board::read(const char* file, unsigned offset, void* to, unsigned size) {
  unsigned length = 0;
  while (file[length] != '\0') ++length;
  const struct {
    const char* name;
    unsigned mode, length;
  } open{file, 1, length};
  const int handle = semihosting(0x01, &open);
  if (handle < 0) return false;
  const struct {
    int handle;
    unsigned offset;
  } seek{handle, offset};
  const struct {
    int handle;
    void* to;
    unsigned size;
  } take{handle, to, size};
  const bool is_read = semihosting(0x0A, &seek) == 0 && semihosting(0x06, &take) == 0;
  semihosting(0x02, &handle);
  return is_read;
}

// A loop of known length says how many instructions a tick is; where each takes as long as any other, as it does under
// `qemu -icount shift=0`, ticks are a count of instructions.
const char* const board::unit_of_now = " instructions";
std::uint32_t board::now() {
  static std::uint32_t loops_of_tick = 0;
  if (loops_of_tick == 0) loops_of_tick = (1000000 + ticks_of(1000000) / 2) / ticks_of(1000000);
  return (0xFFFFFF - at<std::uint32_t>(timer_value)) * 2 * loops_of_tick;
}

unsigned board::stack_bytes() {
  const unsigned char* p = stack_limit;
  while (p < stack_top && *p == paint) ++p;
  return unsigned(stack_top - p);
}

void board::stop(int code) {
  const int arguments[] = {0x20026, code};
  semihosting(0x20, arguments);
  for (;;) asm volatile("wfi");
}
