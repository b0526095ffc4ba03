# SPDX-License-Identifier: Apache-2.0
"""All faults, by name."""

from faults.clock import Clock
from faults.commit_cut import CommitCut
from faults.database_restart import DatabaseRestart
from faults.deadlock_maker import DeadlockMaker
from faults.disk_full import DiskFull
from faults.failover import Failover
from faults.failpoint import Failpoint
from faults.fsync_error import FsyncError
from faults.kill import Kill
from faults.lock_service import LockService
from faults.partition import Partition
from faults.pause import Pause
from faults.slow_link import SlowLink

ALL = {kind.name: kind for kind in (
    Kill, Failpoint, Pause, LockService, DatabaseRestart, CommitCut, SlowLink, Partition, Failover,
    DiskFull, FsyncError, Clock, DeadlockMaker)}
