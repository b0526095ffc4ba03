-- SPDX-License-Identifier: Apache-2.0
-- The ledger, and the guards that keep it true whoever writes. The one thing that moves anything is
-- an INSERT into entries: its trigger checks the row against the account and moves the account and
-- the hold with it, in the same statement. Every other way to the same rows is refused. Why it is
-- built so, and what it costs: docs/decisions/0001-guards-on-sqlite.md.
--
-- Rules for whoever changes this file:
--   CHECK and foreign keys can be switched off in a shell; triggers cannot. So a rule is a trigger.
--   OR REPLACE deletes the rows in its way without asking a trigger; so a key must be looked for
--   BEFORE the row goes in, and no table of value has a rowid that could be named again.
--   A condition that is NULL does not fire; so conditions are compared with IS NOT TRUE.
--   changes() in a trigger counts the last statement of that trigger.
--   2^53-1 = 9007199254740991 bounds every amount and balance.

CREATE TABLE format (
    one         INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    version     INTEGER NOT NULL,  -- the last step that was applied
    min_version INTEGER NOT NULL,  -- the least version a program must know to write here
    shards      INTEGER NOT NULL,
    hash        TEXT    NOT NULL   -- how a subject's id leads to its shard
) STRICT;

CREATE TABLE assets (
    code                 TEXT    NOT NULL PRIMARY KEY,
    scale                INTEGER NOT NULL,
    balanced             INTEGER NOT NULL,
    open_on_first_credit INTEGER NOT NULL,
    floor                INTEGER,            -- NULL: none
    ceiling              INTEGER,
    used                 INTEGER NOT NULL    -- 1 from the first account on
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
    shard           INTEGER NOT NULL,
    id              TEXT    NOT NULL,
    asset           TEXT    NOT NULL,
    status          INTEGER NOT NULL,  -- 1 open, 2 frozen, 3 closed
    balance         INTEGER NOT NULL,
    held            INTEGER NOT NULL,
    seq             INTEGER NOT NULL,  -- of the last entry; 0 before the first
    recorded_at     INTEGER NOT NULL,  -- of the last entry; opened_at before the first
    floor           INTEGER,
    ceiling         INTEGER,
    wake_at         INTEGER,           -- when the earliest open hold falls due
    opening_floor   INTEGER,
    opening_ceiling INTEGER,
    opened_at       INTEGER NOT NULL,
    metadata        TEXT,
    PRIMARY KEY (shard, id)
) STRICT, WITHOUT ROWID;

-- One row per change of an account, and at once the account's journal, the request that made the
-- change and its event. Times are microseconds since 1970 in UTC.
CREATE TABLE entries (
    shard         INTEGER NOT NULL,
    account       TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    kind          INTEGER NOT NULL,
    amount        INTEGER NOT NULL,
    held_change   INTEGER NOT NULL,
    balance_after INTEGER NOT NULL,
    held_after    INTEGER NOT NULL,
    recorded_at   INTEGER NOT NULL,
    effective_at  INTEGER,
    key           TEXT,     -- these four on the subject of a request that has a key
    fingerprint   BLOB,
    request       BLOB,
    format        INTEGER,
    subject_shard INTEGER,  -- these three on the other accounts of a transaction
    subject       TEXT,
    subject_seq   INTEGER,
    target        BLOB,     -- commit, void, expire: the hold; reverse: the transaction
    reverses      INTEGER,  -- seq of the entry of this account that is taken back
    expires_at    INTEGER,  -- kind hold
    floor         INTEGER,  -- kind limits: both hold from here on
    ceiling       INTEGER,
    reason        TEXT,
    metadata      TEXT,
    PRIMARY KEY (shard, account, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX entries_key ON entries (shard, account, key) WHERE key IS NOT NULL;
CREATE INDEX entries_request ON entries (shard, request) WHERE request IS NOT NULL;
CREATE INDEX entries_subject ON entries (subject_shard, subject, subject_seq)
    WHERE subject IS NOT NULL;
CREATE INDEX entries_reverses ON entries (shard, account, reverses) WHERE reverses IS NOT NULL;

CREATE TABLE holds (
    shard      INTEGER NOT NULL,
    account    TEXT    NOT NULL,
    id         BLOB    NOT NULL,  -- the request that opened it
    amount     INTEGER NOT NULL,
    committed  INTEGER NOT NULL,
    status     INTEGER NOT NULL,  -- 1 open, 2 committed, 3 voided, 4 expired
    expires_at INTEGER NOT NULL,
    opened_seq INTEGER NOT NULL,
    closed_seq INTEGER,
    PRIMARY KEY (shard, account, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX holds_open ON holds (shard, account, expires_at) WHERE status = 1;

CREATE TABLE refusals (
    shard       INTEGER NOT NULL,
    subject     TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    request     BLOB    NOT NULL,
    format      INTEGER NOT NULL,
    code        INTEGER NOT NULL,
    at_account  TEXT,
    n1          INTEGER NOT NULL,
    n2          INTEGER NOT NULL,
    n3          INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (shard, subject, key)
) STRICT, WITHOUT ROWID;

-- Entries ------------------------------------------------------------------------------------------

CREATE TRIGGER entries_key_is_new BEFORE INSERT ON entries WHEN NEW.key IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'passbook guard: the idempotency key already stands for an entry of this account')
     WHERE EXISTS (SELECT 1 FROM entries
                    WHERE shard = NEW.shard AND account = NEW.account AND key = NEW.key);
    SELECT RAISE(ABORT, 'passbook guard: the idempotency key already stands for a refusal of this account')
     WHERE EXISTS (SELECT 1 FROM refusals
                    WHERE shard = NEW.shard AND subject = NEW.account AND key = NEW.key);
END;

CREATE TRIGGER entries_move_account AFTER INSERT ON entries WHEN NEW.kind NOT BETWEEN 6 AND 9
BEGIN
    UPDATE accounts
       SET balance = NEW.balance_after, held = NEW.held_after, seq = NEW.seq,
           recorded_at = NEW.recorded_at,
           status = CASE NEW.kind WHEN 10 THEN 2 WHEN 11 THEN 1 WHEN 12 THEN 3 ELSE status END,
           floor = CASE NEW.kind WHEN 13 THEN NEW.floor ELSE floor END,
           ceiling = CASE NEW.kind WHEN 13 THEN NEW.ceiling ELSE ceiling END
     WHERE shard = NEW.shard AND id = NEW.account
       AND CASE
             WHEN NEW.kind BETWEEN 1 AND 5 THEN NEW.held_change = 0 AND status = 1
                AND NEW.floor IS NULL AND NEW.ceiling IS NULL AND NEW.expires_at IS NULL
                AND (NEW.key IS NOT NULL) + (NEW.subject IS NOT NULL) = 1
                AND CASE NEW.kind WHEN 1 THEN NEW.amount > 0 WHEN 2 THEN NEW.amount < 0
                    WHEN 5 THEN 1 ELSE NEW.amount <> 0 END
             WHEN NEW.kind BETWEEN 10 AND 13 THEN NEW.held_change = 0 AND NEW.amount = 0
                AND status <> 3 AND NEW.subject IS NULL
             ELSE 0
           END
       AND seq = NEW.seq - 1
       AND NEW.amount BETWEEN -9007199254740991 AND 9007199254740991
       AND NEW.balance_after BETWEEN -9007199254740991 AND 9007199254740991
       AND balance + NEW.amount = NEW.balance_after
       AND held + NEW.held_change = NEW.held_after
       AND recorded_at <= NEW.recorded_at
       AND (floor IS NULL OR NEW.balance_after - NEW.held_after >= floor)
       AND (ceiling IS NULL OR NEW.balance_after <= ceiling);
    SELECT RAISE(ABORT, 'passbook guard: the entry does not follow from its account') WHERE changes() <> 1;
END;

CREATE TRIGGER accounts_follow_entries
AFTER UPDATE OF shard, id, asset, status, balance, held, seq, recorded_at, floor, ceiling, wake_at,
    opening_floor, opening_ceiling, opened_at ON accounts
WHEN (NEW.seq = OLD.seq + 1 AND NEW.id = OLD.id AND NEW.shard = OLD.shard
      AND NEW.asset = OLD.asset AND NEW.opened_at = OLD.opened_at
      AND NEW.opening_floor IS OLD.opening_floor AND NEW.opening_ceiling IS OLD.opening_ceiling
      AND EXISTS (SELECT 1 FROM entries e
                   WHERE e.shard = OLD.shard AND e.account = OLD.id AND e.seq = OLD.seq + 1)) IS NOT TRUE
BEGIN
    SELECT RAISE(ABORT, 'passbook guard: an account moves by its entries alone');
END;
