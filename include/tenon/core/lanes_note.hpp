// SPDX-License-Identifier: Apache-2.0
#pragma once

// Public headers begin with this one, as compilers print each header on the way to a note.
#if defined(__x86_64__) && !defined(__SSSE3__) && !defined(HWY_TARGETS) && !defined(HWY_COMPILE_ONLY_SCALAR) && \
    !defined(HWY_COMPILE_ONLY_EMU128)
#pragma message( \
    "tenon: no vectors, for these flags promise SSE2 only: -march=native is up to 20 times as fast, -msse4.2 up to 3 (HWY_COMPILE_ONLY_SCALAR if that is wanted)")
#endif
