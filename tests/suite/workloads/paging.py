# SPDX-License-Identifier: Apache-2.0
"""Lists that are walked page by page while they grow: nothing twice, nothing left out."""

from workloads.workload import Workload

LIMIT = 7


class Paging(Workload):
    name = "paged"
    needs = ("grant ok",)

    def open(self, recorder):
        self.opened(recorder, self.account(0), 1)

    def step(self, recorder, chance):
        if chance.random() < 0.93:
            self.insist(recorder, chance, recorder.grant(self.account(0), 1))
        elif chance.random() < 0.5:
            self.walk_entries(recorder)
        else:
            self.walk_accounts(recorder, chance)

    def rows(self, recorder, path, limit):
        """None where a page got no answer."""
        try:
            return list(recorder.client.pages(path, limit))
        except AssertionError:
            return None

    def walk_entries(self, recorder):
        known = [call.seq() for call in self.calls("grant") if call.took_effect()]
        rows = self.rows(recorder, f"/v1/accounts/{self.account(0)}/entries", LIMIT * 20)
        if rows is None:
            return
        seqs = [row["seq"] for row in rows]
        if seqs != list(range(1, len(seqs) + 1)):
            self.world.complain(f"paging: seqs that are not 1 to n: {seqs}")
        if known and len(seqs) < max(known):
            self.world.complain(f"paging: {len(seqs)} entries, and {max(known)} were acknowledged")

    def walk_accounts(self, recorder, chance):
        known = {call.subject for call in self.world.history.calls[-200:] if call.took_effect()}
        rows = self.rows(recorder, "/v1/accounts", LIMIT * chance.choice([1, 5]))
        if rows is None:
            return
        names = [row["id"] for row in rows]
        if len(set(names)) != len(names):
            self.world.complain(f"paging: an account stands twice: {names}")
        if known - set(names):
            self.world.complain(f"paging: {known - set(names)} are missing")
