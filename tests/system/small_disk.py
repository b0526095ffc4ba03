# SPDX-License-Identifier: Apache-2.0
"""A disk that can be filled: memory, mounted where nobody else sees it."""

import contextlib
import ctypes
import os
import pathlib
import subprocess
import sys

PRIVATE = "TEST_IN_PRIVATE_MOUNTS"
LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2


class SmallDisk:
    """At `folder`, which it makes."""

    def __init__(self, folder, size):
        folder.mkdir()
        self.folder = folder
        # Not by the command, which asks who one is and not what one may.
        if LIBC.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={size}".encode()):
            raise AssertionError("no small disk can be mounted: " + os.strerror(ctypes.get_errno()))

    def fill(self, room):
        """Takes all space but `room` bytes."""
        with open(self.folder / "ballast", "ab") as ballast:
            while (size := self.left() - room) > 0:
                with contextlib.suppress(OSError):  # somebody else has taken some meanwhile
                    os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, size)

    def left(self):
        left = os.statvfs(self.folder)
        return left.f_bavail * left.f_frsize

    def free(self):
        (self.folder / "ballast").unlink(missing_ok=True)

    def unmount(self):
        if LIBC.umount2(str(self.folder).encode(), MNT_DETACH):
            raise AssertionError(os.strerror(ctypes.get_errno()))


def in_private_mounts():
    """Runs the script again where mounts are its own, so that nothing stays behind. Who may not
    make them may in a user namespace, as who he is; where that is closed too, mounting fails."""
    if PRIVATE in os.environ:
        return
    plain = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    command = ["unshare", "--mount",
               *([] if plain.returncode == 0 else ["--map-current-user", "--keep-caps"]),
               sys.executable, "-B", str(pathlib.Path(sys.argv[0]).resolve()), *sys.argv[1:]]
    os.execvpe(command[0], command, {**os.environ, PRIVATE: "1"})
