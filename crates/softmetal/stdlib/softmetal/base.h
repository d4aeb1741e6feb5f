// Address spaces, scalar types and the few compiler switches everything else relies on.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// `device` and `constant` are two disjoint parts of `__global`, so clang itself refuses to mix them.
#define __sm_device __attribute__((opencl_global_device))
#define __sm_host __attribute__((opencl_global_host))
#define __sm_constant const __sm_host
#define __sm_constvar const __global
#define __sm_threadgroup __local
#define __sm_thread __private

#define __sm_inline inline __attribute__((always_inline))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;
typedef char int8_t;
typedef signed char __sm_schar;
typedef long long __sm_llong;
typedef unsigned long long __sm_ullong;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
struct bfloat;
typedef decltype(nullptr) nullptr_t;

// A run of bytes that is neither inlined into a hot path nor instrumented.
// What the host calls when no kernel runs, so that nothing can be reported.
#define __sm_export extern "C" __attribute__((visibility("default"), no_sanitize("kernel-address", "alignment")))
#define __sm_outline __attribute__((noinline, no_sanitize("kernel-address", "alignment")))
