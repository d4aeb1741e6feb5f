// The one function that Rust's standard library imports from bcryptprimitives.dll, for versions of Wine
// that don't have that library yet.

#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes)
{
    for (SIZE_T done = 0; done < bytes;) {
        ULONG some = (ULONG)min(bytes - done, 1 << 20);
        if (!RtlGenRandom(data + done, some)) {
            return FALSE;
        }
        done += some;
    }
    return TRUE;
}
