# SPDX-License-Identifier: Apache-2.0
"""What the guards on PostgreSQL cost, each way of building them beside none at all.

usage: guards_postgres.py [--rows N] [--runs N] [--batch N] [--ways NAME...]

Two writers insert entries in batches, one statement and one commit per batch, over 100,000
accounts, and one writer on a single account. The rows lie ready in a table, so that almost
all that is measured is their insertion. Every run takes all ways in turn, on one private cluster,
fsync on; a figure is the median of rows per second over that of `none` in the same run. `slower`
is how much longer a batch took at the end than at the beginning, in the sessions that began on an
empty store.

  none        keys and indexes alone
  statement   the schema as it is: one look at all rows of a statement, floor and ceiling as CHECKs
  checks      only what a row shows by itself, all of it as CHECKs
  row         those CHECKs, and a trigger for each row that looks at what precedes
  chain       those CHECKs, and what precedes as a foreign key to the table itself. It covers seq
              and balance; not held, status, limits, times, refusals, links and holds
"""

import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/servers"))
from postgres_server import PostgresServer  # noqa: E402

ACCOUNTS = 100_000
SETTINGS = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "2GB",
            "max_wal_size": "8GB", "checkpoint_timeout": "1h", "autovacuum": "on"}
COLUMNS = """shard, account, seq, kind, amount, held_change, balance_after, held_after, recorded_at,
    status, floor, key, fingerprint, format"""

NO_TRIGGERS = """
    DROP TRIGGER entries_follow ON entries; DROP TRIGGER entries_hold ON entries;
    DROP TRIGGER entries_link ON entries;"""

NO_CHECKS = """
    ALTER TABLE entries DROP CONSTRAINT entries_floor, DROP CONSTRAINT entries_ceiling;"""

CHECKS = """
    ALTER TABLE entries ADD CHECK (CASE
        WHEN kind IN (1, 2) THEN CASE kind WHEN 1 THEN amount > 0 ELSE amount < 0 END
             AND held_change = 0 AND key IS NOT NULL
             AND (subject, target, reverses, expires_at) IS NULL
        WHEN kind IN (3, 4) THEN amount <> 0 AND held_change = 0
             AND (key IS NULL) <> (subject IS NULL)
             AND (target, reverses, expires_at) IS NULL
        WHEN kind = 5 THEN held_change = 0
             AND (key IS NULL) <> (subject IS NULL) AND target >= 1
             AND (reverses IS NULL) = (amount = 0) AND (reverses IS NULL OR reverses < seq)
             AND (amount <> 0 OR key IS NOT NULL) AND expires_at IS NULL
        WHEN kind = 6 THEN amount = 0 AND held_change > 0 AND key IS NOT NULL
             AND expires_at > recorded_at AND (subject, target, reverses) IS NULL
        WHEN kind = 7 AND subject IS NULL THEN amount < 0 AND held_change <= amount
             AND key IS NOT NULL AND target IS NOT NULL AND (reverses, expires_at) IS NULL
        WHEN kind = 7 THEN amount > 0 AND held_change = 0 AND key IS NULL
             AND target >= 1 AND (reverses, expires_at) IS NULL
        WHEN kind IN (8, 9) THEN amount = 0 AND held_change < 0 AND target IS NOT NULL
             AND (key IS NULL) = (kind = 9) AND (subject, reverses, expires_at) IS NULL
        WHEN kind BETWEEN 10 AND 13 THEN amount = 0 AND held_change = 0
             AND (subject, target, reverses, expires_at) IS NULL AND (kind < 13 OR key IS NULL)
        END IS TRUE),
    ADD CHECK (CASE WHEN key IS NULL
        THEN (fingerprint, format) IS NULL
        ELSE length(fingerprint) = 16 AND format >= 1
             AND length(key) BETWEEN 1 AND 128 AND key !~ '[^]!#-[^-~]'
        END IS TRUE),
    ADD CHECK ((seq >= 1
        AND amount BETWEEN -9007199254740991 AND 9007199254740991
        AND held_change BETWEEN -9007199254740991 AND 9007199254740991
        AND balance_after BETWEEN -9007199254740991 AND 9007199254740991
        AND held_after BETWEEN 0 AND 9007199254740991
        AND balance_after - held_after >= -9007199254740991
        AND coalesce(floor, 0) BETWEEN -9007199254740991 AND 9007199254740991
        AND coalesce(ceiling, 0) BETWEEN -9007199254740991 AND 9007199254740991
        AND least(recorded_at, effective_at) >= '0001-01-01 00:00:00+00'
        AND greatest(recorded_at, effective_at, expires_at)
            <= '9999-12-31 23:59:59.999999+00') IS TRUE),
    ADD CHECK (kind <> 12 OR balance_after = 0 AND held_after = 0);"""

ROW_TRIGGER = """
    CREATE FUNCTION entries_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, passbook, pg_temp AS $$
    DECLARE
        p record;
    BEGIN
        PERFORM 1 FROM accounts WHERE shard = NEW.shard AND id = NEW.account FOR NO KEY UPDATE;
        IF NEW.seq > 1 THEN
            SELECT balance_after, held_after, recorded_at, status, floor, ceiling INTO p
              FROM entries
             WHERE shard = NEW.shard AND account = NEW.account AND seq = NEW.seq - 1;
        ELSE
            SELECT 0::bigint AS balance_after, 0::bigint AS held_after,
                   opened_at AS recorded_at, 1::smallint AS status,
                   opening_floor AS floor, opening_ceiling AS ceiling INTO p
              FROM accounts WHERE shard = NEW.shard AND id = NEW.account;
        END IF;
        IF NOT FOUND OR p.balance_after + NEW.amount <> NEW.balance_after
           OR p.held_after + NEW.held_change <> NEW.held_after
           OR p.recorded_at > NEW.recorded_at OR p.status = 3 OR p.status = 2 AND NEW.kind < 8
           OR NEW.status <> (CASE NEW.kind WHEN 10 THEN 2 WHEN 11 THEN 1 WHEN 12 THEN 3
                                           ELSE p.status END)
           OR NEW.kind <> 13 AND (NEW.floor IS DISTINCT FROM p.floor
                                  OR NEW.ceiling IS DISTINCT FROM p.ceiling)
           OR EXISTS (SELECT 1 FROM refusals
                       WHERE shard = NEW.shard AND subject = NEW.account AND key = NEW.key)
           OR EXISTS (SELECT 1 FROM entries
                       WHERE subject_shard = NEW.shard AND subject = NEW.account
                         AND subject_seq = NEW.seq
                         AND (kind = NEW.kind AND target IS NOT DISTINCT FROM NEW.target)
                             IS NOT TRUE) THEN
            RAISE EXCEPTION 'passbook guard';
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER entries_row AFTER INSERT ON entries FOR EACH ROW
        EXECUTE FUNCTION entries_row();"""

CHAIN = """
    ALTER TABLE entries ADD prev_seq bigint, ADD prev_balance bigint,
        ADD UNIQUE (shard, account, seq, balance_after),
        ADD CHECK (balance_after = coalesce(prev_balance, 0) + amount),
        ADD CHECK (seq = coalesce(prev_seq, 0) + 1),
        ADD CHECK ((prev_seq IS NULL) = (prev_balance IS NULL)),
        ADD FOREIGN KEY (shard, account, prev_seq, prev_balance)
            REFERENCES entries (shard, account, seq, balance_after);"""

WAYS = {"none": NO_TRIGGERS + NO_CHECKS, "statement": "", "checks": NO_TRIGGERS + CHECKS,
        "row": NO_TRIGGERS + CHECKS + ROW_TRIGGER, "chain": NO_TRIGGERS + CHECKS + CHAIN}

# `staged` holds what the writers will insert: on writer w the accounts whose number is w modulo 2.
STAGED = """
    INSERT INTO assets VALUES ('point', 0, false, true, 0, NULL, false);
    INSERT INTO accounts
    SELECT get_byte(sha256(convert_to(id, 'UTF8')), 0), id, 'point', '2020-01-01+00', 0, NULL, NULL
      FROM (SELECT 'a' || n AS id FROM generate_series(0, {accounts} - 1) n) a;
    CREATE TABLE staged AS
    SELECT writer, batch, get_byte(sha256(convert_to(account, 'UTF8')), 0)::smallint AS shard,
           account, row_number() OVER w AS seq, 1::smallint AS kind, 5::bigint AS amount,
           5 * row_number() OVER w AS balance_after,
           'key-' || writer || '-' || batch || '-' || place AS key
      FROM (SELECT writer, batch, place,
                   'a' || (batch::bigint * 7919 + place * 104729)
                          % ({accounts} / {writers}) * {writers} + writer AS account
              FROM generate_series(0, {writers} - 1) writer,
                   generate_series(1, {batches}) batch, generate_series(1, {batch}) place) s
    WINDOW w AS (PARTITION BY account ORDER BY batch, place);
    ALTER TABLE staged ADD fingerprint bytea;
    UPDATE staged SET fingerprint = decode(md5(key), 'hex');
    CREATE INDEX ON staged (writer, batch);
    CLUSTER staged USING staged_writer_batch_idx;"""

# As the server does: lock and look up, then one INSERT.
SCRIPT = """
\\set b :b + 1
BEGIN;
SELECT count(e.seq)
  FROM (SELECT a.shard, a.id FROM (SELECT DISTINCT shard, account FROM passbook.staged
                                    WHERE writer = :client_id AND batch = :b) s
          JOIN passbook.accounts a ON a.shard = s.shard AND a.id = s.account
         ORDER BY a.shard, a.id FOR NO KEY UPDATE OF a) l
  LEFT JOIN LATERAL (SELECT * FROM passbook.entries WHERE shard = l.shard AND account = l.id
                      ORDER BY seq DESC LIMIT 1) e ON true;
INSERT INTO passbook.entries ({columns}{more})
SELECT shard, account, seq, kind, amount, 0, balance_after, 0, '2024-01-01+00', 1, 0, key,
       fingerprint, 1{more_values}
  FROM passbook.staged WHERE writer = :client_id AND batch = :b;
COMMIT;
"""
PREVIOUS = (", prev_seq, prev_balance", ", nullif(seq - 1, 0), nullif(balance_after - amount, 0)")


class Load:
    """Rows for one workload, in a database per way from which each run takes a copy."""

    def __init__(self, server, name, accounts, writers, rows, batch):
        self.server, self.name, self.writers, self.batch = server, name, writers, batch
        self.batches = max(20, rows // batch // writers)
        schema = (ROOT / "sql/postgres/0001-ledger/up.sql").read_text(encoding="utf-8")
        staged = STAGED.format(accounts=accounts, writers=writers, batches=self.batches,
                               batch=batch)
        self.create(self.database("none"))
        server.sql(f"BEGIN; {schema} {staged} COMMIT; VACUUM ANALYZE passbook.accounts;"
                   "VACUUM ANALYZE passbook.staged;", self.database("none"))
        for way in WAYS:
            if way != "none":
                self.create(self.database(way), self.database("none"))
        for way, changes in WAYS.items():
            server.sql("SET search_path = passbook;" + changes, self.database(way))

    def database(self, way):
        return f"{self.name}_{way}"

    def create(self, database, template="template0"):
        self.server.sql(f"CREATE DATABASE {database} TEMPLATE {template}", "postgres")

    def run(self, way, folder):
        """Rows per second, and the time of the last tenth of batches over that of the first."""
        copy = self.database("run")
        self.create(copy, self.database(way))
        self.server.sql("CHECKPOINT", copy)
        script = folder / "script.sql"
        more, values = PREVIOUS if way == "chain" else ("", "")
        script.write_text(SCRIPT.format(columns=COLUMNS, more=more, more_values=values),
                          encoding="ascii")
        for log in folder.glob("log.*"):
            log.unlink()
        done = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-c", str(self.writers), "-j", str(self.writers),
             "-t", str(self.batches), "-D", "b=0", "-f", str(script), "-l",
             "--log-prefix", str(folder / "log"), self.server.url(copy)],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        rows = self.server.sql("SELECT count(*) FROM passbook.entries", copy)
        if int(rows) != self.batches * self.batch * self.writers:
            raise RuntimeError(f"{way}: {rows.strip()} rows arrived")
        self.server.sql(f"DROP DATABASE {copy}", "postgres")
        latencies = [[int(line.split()[2]) for line in log.read_text().splitlines()]
                     for log in folder.glob("log.*")]
        each = [latency for log in latencies for latency in log]
        seconds = sum(each) / 1e6 / self.writers
        tenth = self.batches // 10
        slower = statistics.median(l for log in latencies for l in log[-tenth:]) / \
            statistics.median(l for log in latencies for l in log[tenth:2 * tenth])
        return int(rows) / seconds, slower


def measure(load, runs, ways, folder):
    figures = {way: [] for way in ways}
    for _ in range(runs):
        for way in random.sample(ways, len(ways)):
            figures[way].append(load.run(way, folder))
    print(f"\n{load.name}: batches of {load.batch}, {load.writers} writers, "
          f"{load.batches * load.batch * load.writers} rows, {runs} runs")
    print(f"{'way':12}{'rows/s':>10}{'ratio':>8}{'least':>8}{'most':>8}{'slower':>8}")
    for way, each in figures.items():
        ratios = [rate / none for (rate, _), (none, _) in zip(each, figures["none"])]
        print(f"{way:12}{statistics.median(rate for rate, _ in each):10.0f}"
              f"{statistics.median(ratios):8.2f}{min(ratios):8.2f}{max(ratios):8.2f}"
              f"{statistics.median(slower for _, slower in each):8.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS)[1:], default=list(WAYS)[1:])
    given = parser.parse_args()
    ways = ["none", *given.ways]
    with tempfile.TemporaryDirectory(prefix="passbook-bench-") as folder, \
            tempfile.TemporaryDirectory(prefix="passbook-postgres-") as data, \
            PostgresServer(data, SETTINGS) as server:
        for name, accounts, writers in (("spread", ACCOUNTS, 2), ("hot", 1, 1)):
            load = Load(server, name, accounts, writers, given.rows, given.batch)
            measure(load, given.runs, ways, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
