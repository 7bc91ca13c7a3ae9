"""Runs a command for which the system refuses to make memory executable (Linux, x86-64): seccomp lets `mprotect` fail if it asks for that."""
import ctypes
import os
import struct
import sys

(MPROTECT, EXECUTABLE, PERMISSION) = (10, 4, 13)
(NO_NEW_PRIVILEGES, SECCOMP, FILTER) = (38, 22, 2)
(LOAD, IF_EQUAL, IF_ANY_BIT, RETURN) = (0x20, 0x15, 0x45, 0x06)
(ALLOW, ERROR) = (0x7FFF0000, 0x00050000)


def instruction(code, k, then=0, otherwise=0):
    return struct.pack("HBBI", code, then, otherwise, k)


# The number of the call is at 0, the third argument at 32.
program = b"".join([
    instruction(LOAD, 0),
    instruction(IF_EQUAL, MPROTECT, 0, 3),
    instruction(LOAD, 32),
    instruction(IF_ANY_BIT, EXECUTABLE, 0, 1),
    instruction(RETURN, ERROR | PERMISSION),
    instruction(RETURN, ALLOW),
])
held = ctypes.create_string_buffer(program)
described = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
system = ctypes.CDLL(None, use_errno=True)
if system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or system.prctl(SECCOMP, FILTER, ctypes.c_char_p(described), 0, 0):
    sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
