# SPDX-License-Identifier: Apache-2.0
#
# For tenon's own programs only; a user's project keeps its own warnings.
add_library(tenon_warnings INTERFACE)
target_compile_options(tenon_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow)
# GCC reports on every function that passes wide vectors that another version passed them differently.
target_compile_options(tenon_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
