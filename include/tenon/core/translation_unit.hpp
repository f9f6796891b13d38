// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>  // libstdc++ undefines min and max in its first header

// Names that tenon and Highway use, and that X11, Windows, Arduino, Qt or <complex.h> define as macros.
#if defined(A) || defined(B) || defined(C) || defined(D) || defined(E) || defined(F) || defined(H) || defined(I) || \
    defined(J) || defined(K) || defined(L) || defined(M) || defined(N) || defined(O) || defined(P) || defined(Q) || \
    defined(R) || defined(S) || defined(T) || defined(U) || defined(V) || defined(W) || defined(X) || defined(Y) || \
    defined(Z) || defined(B0) || defined(B1) || defined(DEFAULT) || defined(HIGH) || defined(HIGHEST) ||            \
    defined(Success) || defined(abs) || defined(check) || defined(complex) || defined(emit) || defined(max) ||      \
    defined(min) || defined(round) || defined(slots) || defined(verify)
#error \
    "tenon: one of A to Z, B0, B1, DEFAULT, HIGH, HIGHEST, Success, abs, check, complex, emit, max, min, round, slots and verify is a macro: include tenon before the header that defines it, or undefine it (NOMINMAX for <windows.h>)"
#include <tenon_ends_here>  // is not there, so that no other error follows
#endif

// A program keeps one copy of each inline function, compiled for the target of any source. So each source defines one
// symbol in an inline function named after its target: linkers merge functions of one name, and refuse two definitions.
#if defined(__ELF__) || defined(__MINGW32__)
#define TENON_DEFINE(symbol) asm(".globl " #symbol "\n" #symbol ":")
#else
#define TENON_DEFINE(symbol) static_assert(true)
#endif

// The name of a macro of the compiler if its value is 1, or a version that RISC-V has, else nothing.
#define TENON_FLAG(name) TENON_FLAG_OF(name, "_" #name)
#define TENON_FLAG_OF(value, text) TENON_SECOND_OF(TENON_FLAG_##value(text), "", )
#define TENON_FLAG_1(text) , text
#define TENON_FLAG_1000000(text) , text
#define TENON_SECOND_OF(...) TENON_SECOND(__VA_ARGS__)
#define TENON_SECOND(first, second, ...) second
#define TENON_NUMBER(name) "_" TENON_NUMBER_OF(name)
#define TENON_NUMBER_OF(value) #value

namespace tenon::core {

// clang-format off
[[gnu::used]] inline void define_target() asm("tenon_target" TENON_FLAG(__FAST_MATH__)
#if defined(__x86_64__) || defined(__i386__)
    TENON_FLAG(__SSE2__) TENON_FLAG(__SSE3__) TENON_FLAG(__SSSE3__) TENON_FLAG(__SSE4_1__) TENON_FLAG(__SSE4_2__)
    TENON_FLAG(__SSE4A__) TENON_FLAG(__POPCNT__) TENON_FLAG(__LZCNT__) TENON_FLAG(__MOVBE__) TENON_FLAG(__ADX__)
    TENON_FLAG(__BMI__) TENON_FLAG(__BMI2__) TENON_FLAG(__TBM__) TENON_FLAG(__AVX__) TENON_FLAG(__XOP__)
    TENON_FLAG(__F16C__) TENON_FLAG(__FMA__) TENON_FLAG(__FMA4__) TENON_FLAG(__AVX2__) TENON_FLAG(__AVXVNNI__)
    TENON_FLAG(__AVX512F__) TENON_FLAG(__AVX512CD__) TENON_FLAG(__AVX512BW__) TENON_FLAG(__AVX512DQ__)
    TENON_FLAG(__AVX512VL__) TENON_FLAG(__AVX512IFMA__) TENON_FLAG(__AVX512VBMI__) TENON_FLAG(__AVX512VBMI2__)
    TENON_FLAG(__AVX512VNNI__) TENON_FLAG(__AVX512BITALG__) TENON_FLAG(__AVX512VPOPCNTDQ__) TENON_FLAG(__AVX512FP16__)
#elif defined(__ARM_ARCH)
    TENON_NUMBER(__ARM_ARCH) TENON_NUMBER(__ARM_FP) TENON_NUMBER(__ARM_FEATURE_MVE) TENON_NUMBER(__ARM_FEATURE_SVE_BITS)
    TENON_FLAG(__ARM_NEON) TENON_FLAG(__ARM_FEATURE_FMA) TENON_FLAG(__ARM_FEATURE_ATOMICS)
    TENON_FLAG(__ARM_FEATURE_QRDMX) TENON_FLAG(__ARM_FEATURE_DOTPROD) TENON_FLAG(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
    TENON_FLAG(__ARM_FEATURE_FP16_FML) TENON_FLAG(__ARM_FEATURE_COMPLEX) TENON_FLAG(__ARM_FEATURE_MATMUL_INT8)
    TENON_FLAG(__ARM_FEATURE_SVE) TENON_FLAG(__ARM_FEATURE_SVE2)
#elif defined(__riscv)
    TENON_NUMBER(__riscv_v_min_vlen) TENON_NUMBER(__riscv_v_fixed_vlen) TENON_FLAG(__riscv_v) TENON_FLAG(__riscv_zba)
    TENON_FLAG(__riscv_zbb) TENON_FLAG(__riscv_zbs) TENON_FLAG(__riscv_zfh) TENON_FLAG(__riscv_zvfh)
#endif
);
// clang-format on
inline void define_target() { TENON_DEFINE(tenon_sources_have_different_targets); }

}  // namespace tenon::core
