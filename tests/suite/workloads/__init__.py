# SPDX-License-Identifier: Apache-2.0
"""All workloads, by name."""

from workloads.bank import Bank
from workloads.first_use import FirstUse
from workloads.holds import Holds
from workloads.hot_account import HotAccount
from workloads.idempotency import Idempotency
from workloads.imports import Imports
from workloads.locks import Locks
from workloads.mixed import Mixed
from workloads.paging import Paging
from workloads.refunds import Refunds
from workloads.set import Set
from workloads.spend_down import SpendDown

ALL = {"bank": Bank, "hot": HotAccount, "spend-down": SpendDown, "idempotency": Idempotency,
       "set": Set, "holds": Holds, "refunds": Refunds, "first-use": FirstUse, "paging": Paging,
       "import": Imports, "locks": Locks, "mixed": Mixed}
