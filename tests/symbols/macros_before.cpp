// SPDX-License-Identifier: Apache-2.0
//
// Macros of headers that programs include before tenon, and that tenon compiles beside: of X11, Windows, Arduino, C
// libraries and systems.

// X11
#define Above 0
#define Always 2
#define Below 1
#define Bool int
#define Button1 1
#define Complex 0
#define Convex 2
#define CursorShape 0
#define False 0
#define Never 0
#define None 0L
#define Status int
#define True 1
#define Unsorted 0

// Windows; libstdc++ undefines the first two where they come before any header of C++.
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define ABSOLUTE 1
#define CONST const
#define DELETE (0x00010000L)
#define DIFFERENCE 11
#define DOMAIN 1
#define ERROR 0
#define GetObject GetObjectW
#define IGNORE 0
#define IN
#define NO_ERROR 0
#define OPTIONAL
#define OUT
#define OVERFLOW 3
#define RELATIVE 2
#define STRICT 1
#define TRANSPARENT 1
#define UNDERFLOW 4
#define VOID void
#define far
#define interface struct
#define near
#define small char

// Arduino and newlib
#define F_CPU 16000000L
#define INPUT 0
#define LOW 0
#define OUTPUT 1
#define PI 3.14159
#define bit(b) (1UL << (b))
#define constrain(a, l, h) ((a) < (l) ? (l) : ((a) > (h) ? (h) : (a)))
#define degrees(r) ((r) * 57)
#define radians(d) ((d) * 0.01)
#define sq(x) ((x) * (x))
#define _B 16
#define _C 2
#define _L 4
#define _N 1
#define _P 64
#define _S 32
#define _U 8
#define _X 128

// Systems, and libraries with checks and logs
#include <sys/types.h>
#define ASSERT(x)
#define CHECK(x) x
#define DEBUG 1
#define EMPTY
#define FAIL 1
#define FALSE 0
#define LOG(x) x
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define NO 0
#define Nil 0
#define TRACE 2
#define TRUE 1
#define UNUSED
#define YES 1
#define likely(x) __builtin_expect(!!(x), 1)
#define major(x) (x)
#define minor(x) (x)
#define require(x) ((void)(x))
#define unlikely(x) __builtin_expect(!!(x), 0)
#undef linux
#undef unix
#define linux 1
#define unix 1

#include <tenon/tenon.hpp>

#include <tenon/explain.hpp>
#include <tenon/grid.hpp>
#include <tenon/loaded_programs.hpp>
#include <tenon/threads.hpp>

int main() {
  tenon::tensor<tenon::f32, 2> x{1, 4};
  tenon::tensor<tenon::f32, 2> y = x + tenon::sqrt(x);
  return y(0) == 2 && y(1) == 6 ? 0 : 1;
}
