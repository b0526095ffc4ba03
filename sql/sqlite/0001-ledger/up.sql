-- SPDX-License-Identifier: Apache-2.0
-- The ledger, and the guards that keep it true whoever writes. An INSERT into entries is the only
-- thing that moves anything, and an account's last entry is its state: balance, held, status and
-- limits are kept nowhere else, so nothing can drift apart. docs/decisions/0001-guards-on-sqlite.md
-- says why it is built so and what it costs.
--
-- For whoever changes this file:
--   A shell can switch CHECK and foreign keys off, but no trigger: every rule is a trigger.
--   OR REPLACE deletes the rows in its way and asks no trigger: a key is looked for BEFORE the row
--   goes in, and no table has a rowid that could be named again.
--   A condition that is NULL does not fire: rules are compared with IS NOT TRUE.
--   RAISE(ROLLBACK): what a guard refuses is a bug or a bypass; nothing of its transaction stands.
--   Debian's shell is SQLite 3.40: nothing newer, or it could not even read a store.
--   9007199254740991 is 2^53-1, the bound of every amount and balance. Times are microseconds since
--   1970 in UTC; 253402300799999999 ends the year 9999.

CREATE TABLE format (
    one         INTEGER NOT NULL PRIMARY KEY,
    version     INTEGER NOT NULL,  -- the last step that was applied
    min_version INTEGER NOT NULL,  -- what a program must know at least to write here
    shards      INTEGER NOT NULL,
    hash        TEXT    NOT NULL   -- its first byte over a subject's id is the shard
) STRICT, WITHOUT ROWID;

CREATE TABLE assets (
    code                 TEXT    NOT NULL PRIMARY KEY,
    scale                INTEGER NOT NULL,
    balanced             INTEGER NOT NULL,
    open_on_first_credit INTEGER NOT NULL,
    floor                INTEGER,          -- NULL: none
    ceiling              INTEGER,
    used                 INTEGER NOT NULL  -- 1 from its first account on
) STRICT, WITHOUT ROWID;

-- What an account is and how it opened. What it has become, its last entry says.
CREATE TABLE accounts (
    shard           INTEGER NOT NULL,
    id              TEXT    NOT NULL,
    asset           TEXT    NOT NULL REFERENCES assets (code),
    opened_at       INTEGER NOT NULL,
    opening_floor   INTEGER,
    opening_ceiling INTEGER,
    metadata        TEXT,
    PRIMARY KEY (shard, id)
) STRICT, WITHOUT ROWID;

-- One row per change: the account's journal, the request that made it, its event, the state after.
CREATE TABLE entries (
    shard         INTEGER NOT NULL,
    account       TEXT    NOT NULL,
    seq           INTEGER NOT NULL CHECK (seq >= 1),
    kind          INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 13),
    amount        INTEGER NOT NULL,
    held_change   INTEGER NOT NULL,
    balance_after INTEGER NOT NULL,
    held_after    INTEGER NOT NULL CHECK (held_after >= 0),
    recorded_at   INTEGER NOT NULL,
    status        INTEGER NOT NULL,  -- after it: 1 open, 2 frozen, 3 closed
    floor         INTEGER,           -- after it; NULL: none
    ceiling       INTEGER,           -- after it
    effective_at  INTEGER,
    key           TEXT,              -- these three on the subject of a request that has a key
    fingerprint   BLOB,
    format        INTEGER,
    subject_shard INTEGER,           -- these three on the other accounts of a transaction
    subject       TEXT,
    subject_seq   INTEGER,
    target        INTEGER,           -- seq of the subject's entry that is acted on: the hold of a
                                     -- commit, void or expire, the transaction of a reverse
    reverses      INTEGER,           -- seq of the entry of this account that is taken back
    expires_at    INTEGER,           -- kind hold
    reason        TEXT,
    metadata      TEXT,
    PRIMARY KEY (shard, account, seq),
    CHECK (floor IS NULL OR balance_after - held_after >= floor),
    CHECK (ceiling IS NULL OR balance_after <= ceiling)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX entries_key ON entries (shard, account, key) WHERE key IS NOT NULL;
CREATE INDEX entries_subject ON entries (subject_shard, subject, subject_seq)
    WHERE subject IS NOT NULL;
CREATE INDEX entries_reverses ON entries (shard, account, reverses) WHERE reverses IS NOT NULL;

-- Follows from the entries: what finds the open holds of an account, and the due ones, by a seek.
CREATE TABLE holds (
    shard      INTEGER NOT NULL,
    account    TEXT    NOT NULL,
    opened_seq INTEGER NOT NULL,  -- of the entry that opened it
    amount     INTEGER NOT NULL,
    committed  INTEGER NOT NULL,
    status     INTEGER NOT NULL,  -- 1 open, 2 committed, 3 voided, 4 expired
    expires_at INTEGER NOT NULL,
    closed_seq INTEGER,
    PRIMARY KEY (shard, account, opened_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX holds_open ON holds (shard, account, expires_at) WHERE status = 1;

CREATE TABLE refusals (
    shard       INTEGER NOT NULL,
    subject     TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    format      INTEGER NOT NULL,
    code        INTEGER NOT NULL,
    at_account  TEXT,
    n1          INTEGER NOT NULL,
    n2          INTEGER NOT NULL,
    n3          INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (shard, subject, key)
) STRICT, WITHOUT ROWID;

-- For people: every account as it stands.
CREATE VIEW balances (shard, account, asset, status, balance, held, available, seq, floor, ceiling,
                      recorded_at) AS
SELECT a.shard, a.id, a.asset,
       CASE coalesce(e.status, 1) WHEN 1 THEN 'open' WHEN 2 THEN 'frozen' ELSE 'closed' END,
       coalesce(e.balance_after, 0), coalesce(e.held_after, 0),
       coalesce(e.balance_after - e.held_after, 0), coalesce(e.seq, 0),
       CASE WHEN e.seq IS NULL THEN a.opening_floor ELSE e.floor END,
       CASE WHEN e.seq IS NULL THEN a.opening_ceiling ELSE e.ceiling END,
       coalesce(e.recorded_at, a.opened_at)
  FROM accounts a
  LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id
        AND e.seq = (SELECT max(seq) FROM entries WHERE shard = a.shard AND account = a.id);

-- Entries: what goes in ---------------------------------------------------------------------------

-- On the path of every write; each look-up here reads a page that the INSERT itself needs.
CREATE TRIGGER entries_follow BEFORE INSERT ON entries
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the key already stands for an entry of this account')
     WHERE NEW.key IS NOT NULL AND EXISTS (
           SELECT 1 FROM entries
            WHERE shard = NEW.shard AND account = NEW.account AND key = NEW.key);

    SELECT RAISE(ROLLBACK, 'passbook guard: the key already stands for a refusal of this account')
     WHERE NEW.key IS NOT NULL AND EXISTS (
           SELECT 1 FROM refusals
            WHERE shard = NEW.shard AND subject = NEW.account AND key = NEW.key);

    SELECT RAISE(ROLLBACK, 'passbook guard: the fields do not fit the kind of entry')
     WHERE CASE
           WHEN NEW.kind = 1 THEN NEW.amount > 0 AND NEW.held_change = 0
                AND NEW.key IS NOT NULL
                AND coalesce(NEW.subject_shard, NEW.subject, NEW.subject_seq, NEW.target,
                             NEW.reverses, NEW.expires_at) IS NULL
           WHEN NEW.kind = 2 THEN NEW.amount < 0 AND NEW.held_change = 0
                AND NEW.key IS NOT NULL
                AND coalesce(NEW.subject_shard, NEW.subject, NEW.subject_seq, NEW.target,
                             NEW.reverses, NEW.expires_at) IS NULL
           WHEN NEW.kind IN (3, 4) THEN NEW.amount <> 0 AND NEW.held_change = 0
                AND (NEW.key IS NULL) <> (NEW.subject IS NULL)
                AND coalesce(NEW.target, NEW.reverses, NEW.expires_at) IS NULL
           WHEN NEW.kind = 5 THEN NEW.held_change = 0
                AND (NEW.key IS NULL) <> (NEW.subject IS NULL)
                AND NEW.target >= 1 AND (NEW.reverses IS NULL) = (NEW.amount = 0)
                AND (NEW.amount <> 0 OR NEW.key IS NOT NULL) AND NEW.expires_at IS NULL
           WHEN NEW.kind = 6 THEN NEW.amount = 0 AND NEW.held_change > 0
                AND NEW.key IS NOT NULL AND NEW.expires_at > NEW.recorded_at
                AND coalesce(NEW.subject_shard, NEW.subject, NEW.subject_seq, NEW.target,
                             NEW.reverses) IS NULL
           WHEN NEW.kind = 7 AND NEW.subject IS NULL THEN NEW.amount < 0
                AND NEW.held_change <= NEW.amount AND NEW.key IS NOT NULL
                AND NEW.target IS NOT NULL AND coalesce(NEW.reverses, NEW.expires_at) IS NULL
           WHEN NEW.kind = 7 THEN NEW.amount > 0 AND NEW.held_change = 0 AND NEW.key IS NULL
                AND NEW.target >= 1 AND coalesce(NEW.reverses, NEW.expires_at) IS NULL
           WHEN NEW.kind IN (8, 9) THEN NEW.amount = 0 AND NEW.held_change < 0
                AND NEW.target IS NOT NULL AND (NEW.key IS NULL) = (NEW.kind = 9)
                AND coalesce(NEW.subject_shard, NEW.subject, NEW.subject_seq, NEW.reverses,
                             NEW.expires_at) IS NULL
           WHEN NEW.kind BETWEEN 10 AND 13 THEN NEW.amount = 0 AND NEW.held_change = 0
                AND coalesce(NEW.subject_shard, NEW.subject, NEW.subject_seq, NEW.target,
                             NEW.reverses, NEW.expires_at) IS NULL
                AND (NEW.kind < 13 OR NEW.key IS NULL)
           ELSE 0 END IS NOT TRUE;

    SELECT RAISE(ROLLBACK,
        'passbook guard: key, fingerprint or format is not of its form')
     WHERE CASE WHEN NEW.key IS NULL THEN coalesce(NEW.fingerprint, NEW.format) IS NULL
           ELSE length(NEW.fingerprint) = 16 AND NEW.format >= 1
                AND length(NEW.key) BETWEEN 1 AND 128 AND NEW.key NOT GLOB '*[^]!#-[^-~]*'
                AND length(CAST(NEW.key AS BLOB)) = length(NEW.key)
           END IS NOT TRUE;

    SELECT RAISE(ROLLBACK, 'passbook guard: an amount, balance, limit or time is out of range')
     WHERE (NEW.amount BETWEEN -9007199254740991 AND 9007199254740991
            AND NEW.held_change BETWEEN -9007199254740991 AND 9007199254740991
            AND NEW.balance_after BETWEEN -9007199254740991 AND 9007199254740991
            AND NEW.held_after BETWEEN 0 AND 9007199254740991
            AND NEW.balance_after - NEW.held_after >= -9007199254740991
            AND NEW.recorded_at BETWEEN -62135596800000000 AND 253402300799999999
            AND (NEW.effective_at IS NULL
                 OR NEW.effective_at BETWEEN -62135596800000000 AND 253402300799999999)
            AND (NEW.expires_at IS NULL OR NEW.expires_at <= 253402300799999999)
           ) IS NOT TRUE;

    SELECT RAISE(ROLLBACK, 'passbook guard: the balance less what is held would be below the floor')
     WHERE NEW.balance_after - NEW.held_after < NEW.floor;

    SELECT RAISE(ROLLBACK, 'passbook guard: the balance would be above the ceiling')
     WHERE NEW.balance_after > NEW.ceiling;

    SELECT RAISE(ROLLBACK, 'passbook guard: the entry does not follow from its account')
     WHERE CASE WHEN NEW.seq > 1 THEN (
           SELECT CASE
                  WHEN seq + 1 <> NEW.seq THEN
                      RAISE(ROLLBACK, 'passbook guard: seq is not the next of its account')
                  WHEN balance_after + NEW.amount <> NEW.balance_after THEN
                      RAISE(ROLLBACK,
                          'passbook guard: balance_after is not the balance before plus amount')
                  WHEN held_after + NEW.held_change <> NEW.held_after THEN
                      RAISE(ROLLBACK,
                          'passbook guard: held_after is not what was held before plus held_change')
                  WHEN recorded_at > NEW.recorded_at THEN
                      RAISE(ROLLBACK,
                          'passbook guard: recorded_at is before the last entry of the account')
                  WHEN status = 3 THEN RAISE(ROLLBACK, 'passbook guard: the account is closed')
                  WHEN status = 2 AND NEW.kind < 8 THEN
                      RAISE(ROLLBACK, 'passbook guard: the account is frozen')
                  WHEN NEW.status <> CASE NEW.kind WHEN 10 THEN 2 WHEN 11 THEN 1 WHEN 12 THEN 3
                                     ELSE status END THEN
                      RAISE(ROLLBACK,
                          'passbook guard: status does not follow from the kind of entry')
                  WHEN NEW.kind <> 13
                       AND (NEW.floor IS NOT floor OR NEW.ceiling IS NOT ceiling) THEN
                      RAISE(ROLLBACK,
                          'passbook guard: only an entry of kind limits changes floor and ceiling')
                  ELSE 1 END
             FROM entries
            WHERE shard = NEW.shard AND account = NEW.account
            ORDER BY seq DESC LIMIT 1)
           ELSE (
           SELECT CASE
                  WHEN NEW.seq <> 1 OR EXISTS (
                       SELECT 1 FROM entries WHERE shard = NEW.shard AND account = NEW.account) THEN
                      RAISE(ROLLBACK, 'passbook guard: seq is not the next of its account')
                  WHEN NEW.amount <> NEW.balance_after THEN
                      RAISE(ROLLBACK,
                          'passbook guard: balance_after is not the balance before plus amount')
                  WHEN NEW.held_change <> NEW.held_after THEN
                      RAISE(ROLLBACK,
                          'passbook guard: held_after is not what was held before plus held_change')
                  WHEN opened_at > NEW.recorded_at THEN
                      RAISE(ROLLBACK,
                          'passbook guard: recorded_at is before the opening of the account')
                  WHEN NEW.status <> CASE NEW.kind WHEN 10 THEN 2 WHEN 12 THEN 3 ELSE 1 END THEN
                      RAISE(ROLLBACK,
                          'passbook guard: status does not follow from the kind of entry')
                  WHEN NEW.kind <> 13 AND (NEW.floor IS NOT opening_floor
                                           OR NEW.ceiling IS NOT opening_ceiling) THEN
                      RAISE(ROLLBACK,
                          'passbook guard: only an entry of kind limits changes floor and ceiling')
                  ELSE 1 END
             FROM accounts
            WHERE shard = NEW.shard AND id = NEW.account)
           END IS NOT TRUE;

    SELECT RAISE(ROLLBACK,
        'passbook guard: an account closes only with balance and held at 0')
     WHERE NEW.kind = 12 AND (NEW.balance_after <> 0 OR NEW.held_after <> 0);

    SELECT RAISE(ROLLBACK, 'passbook guard: floor or ceiling is out of range')
     WHERE NEW.kind = 13
       AND (coalesce(NEW.floor, 0) BETWEEN -9007199254740991 AND 9007199254740991
            AND coalesce(NEW.ceiling, 0) BETWEEN -9007199254740991 AND 9007199254740991
           ) IS NOT TRUE;

    SELECT RAISE(ROLLBACK,
        'passbook guard: an entry that names this one is of another transaction')
     WHERE EXISTS (
           SELECT 1 FROM entries l
            WHERE l.subject_shard = NEW.shard AND l.subject = NEW.account
              AND l.subject_seq = NEW.seq
              AND (l.kind = NEW.kind AND l.recorded_at = NEW.recorded_at
                   AND l.target IS NEW.target AND NEW.key IS NOT NULL) IS NOT TRUE);
END;

-- The entries of a transaction on other accounts name the subject's. Whichever of the two comes
-- second is held to the first, for a rebuilt store takes account after account. That the other
-- never comes is for the reconciliation to find.
CREATE TRIGGER entries_link AFTER INSERT ON entries WHEN NEW.kind BETWEEN 3 AND 7
BEGIN
    SELECT RAISE(ROLLBACK,
        'passbook guard: subject names no entry of this transaction that carries a key')
     WHERE coalesce(NEW.subject_shard, NEW.subject, NEW.subject_seq) IS NOT NULL
       AND (NEW.subject_shard BETWEEN 0 AND 255 AND NEW.subject_seq >= 1
            AND NEW.subject <> NEW.account
            AND coalesce((SELECT s.kind = NEW.kind AND s.recorded_at = NEW.recorded_at
                                 AND s.target IS NEW.target AND s.key IS NOT NULL
                            FROM entries s
                           WHERE s.shard = NEW.subject_shard AND s.account = NEW.subject
                             AND s.seq = NEW.subject_seq), 1)) IS NOT TRUE;

    SELECT RAISE(ROLLBACK,
        'passbook guard: target names no transaction of this account that can be reversed')
     WHERE NEW.kind = 5 AND NEW.subject IS NULL AND NOT EXISTS (
           SELECT 1 FROM entries
            WHERE shard = NEW.shard AND account = NEW.account AND seq = NEW.target
              AND kind BETWEEN 1 AND 4 AND key IS NOT NULL);

    SELECT RAISE(ROLLBACK,
        'passbook guard: reverses names no entry of the transaction that is reversed')
     WHERE NEW.reverses IS NOT NULL AND (
           SELECT o.kind BETWEEN 1 AND 4
                  AND coalesce(o.subject_shard, o.shard) = coalesce(NEW.subject_shard, NEW.shard)
                  AND coalesce(o.subject, o.account) = coalesce(NEW.subject, NEW.account)
                  AND coalesce(o.subject_seq, o.seq) = NEW.target
             FROM entries o
            WHERE o.shard = NEW.shard AND o.account = NEW.account AND o.seq = NEW.reverses
           ) IS NOT TRUE;

    SELECT RAISE(ROLLBACK,
        'passbook guard: reversals have the opposite sign and together never exceed the entry')
     WHERE NEW.reverses IS NOT NULL AND (
           SELECT CASE WHEN o.amount > 0 THEN NEW.amount < 0 AND sum(r.amount) >= -o.amount
                  ELSE NEW.amount > 0 AND sum(r.amount) <= -o.amount END
             FROM entries o JOIN entries r
               ON r.shard = o.shard AND r.account = o.account AND r.reverses = o.seq
            WHERE o.shard = NEW.shard AND o.account = NEW.account AND o.seq = NEW.reverses
           ) IS NOT TRUE;
END;

CREATE TRIGGER entries_hold AFTER INSERT ON entries
WHEN NEW.kind BETWEEN 6 AND 9 AND NEW.subject IS NULL
BEGIN
    INSERT INTO holds (shard, account, opened_seq, amount, committed, status, expires_at)
    SELECT NEW.shard, NEW.account, NEW.seq, NEW.held_change, 0, 1, NEW.expires_at
     WHERE NEW.kind = 6;

    UPDATE holds
       SET status = NEW.kind - 5, committed = -NEW.amount, closed_seq = NEW.seq
     WHERE NEW.target IS NOT NULL
       AND shard = NEW.shard AND account = NEW.account AND opened_seq = NEW.target AND status = 1
       AND amount = -NEW.held_change
       AND (NEW.kind <> 9 OR expires_at <= NEW.recorded_at);

    SELECT RAISE(ROLLBACK,
        'passbook guard: target names no open hold of this account and amount, or none that is due')
     WHERE NEW.target IS NOT NULL AND changes() <> 1;
END;

-- Entries: what never happens to them -------------------------------------------------------------

CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: an entry never changes');
END;

CREATE TRIGGER entries_remain BEFORE DELETE ON entries
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: an entry is never deleted');
END;

-- Holds -------------------------------------------------------------------------------------------

-- Only entries_hold gets through: the entry it acts for is there, and the hold not yet as it says.
CREATE TRIGGER holds_open BEFORE INSERT ON holds
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a hold is opened by an entry of kind hold alone')
     WHERE EXISTS (SELECT 1 FROM holds
                    WHERE shard = NEW.shard AND account = NEW.account
                      AND opened_seq = NEW.opened_seq)
        OR (NEW.status = 1 AND NEW.committed = 0 AND NEW.closed_seq IS NULL AND EXISTS (
            SELECT 1 FROM entries
             WHERE shard = NEW.shard AND account = NEW.account AND seq = NEW.opened_seq
               AND kind = 6 AND held_change = NEW.amount
               AND expires_at = NEW.expires_at)) IS NOT TRUE;
END;

CREATE TRIGGER holds_close AFTER UPDATE ON holds
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a hold is closed by an entry that names it alone')
     WHERE (OLD.status = 1 AND NEW.shard = OLD.shard AND NEW.account = OLD.account
            AND NEW.opened_seq = OLD.opened_seq AND NEW.amount = OLD.amount
            AND NEW.expires_at = OLD.expires_at AND EXISTS (
            SELECT 1 FROM entries
             WHERE shard = OLD.shard AND account = OLD.account AND seq = NEW.closed_seq
               AND kind = NEW.status + 5 AND target = OLD.opened_seq
               AND amount = -NEW.committed AND held_change = -OLD.amount)) IS NOT TRUE;
END;

CREATE TRIGGER holds_remain BEFORE DELETE ON holds
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a hold is never deleted');
END;

-- Accounts ----------------------------------------------------------------------------------------

CREATE TRIGGER accounts_open BEFORE INSERT ON accounts
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the account exists')
     WHERE EXISTS (SELECT 1 FROM accounts WHERE shard = NEW.shard AND id = NEW.id);

    SELECT RAISE(ROLLBACK, 'passbook guard: the asset of the account does not exist')
     WHERE NOT EXISTS (SELECT 1 FROM assets WHERE code = NEW.asset);

    SELECT RAISE(ROLLBACK, 'passbook guard: shard, id or opening of the account is not of its form')
     WHERE (NEW.shard BETWEEN 0 AND 255
            AND length(NEW.id) BETWEEN 1 AND 64 AND length(CAST(NEW.id AS BLOB)) = length(NEW.id)
            AND NEW.id GLOB '[A-Za-z0-9]*' AND NEW.id NOT GLOB '*[^-A-Za-z0-9._:@+]*'
            AND NEW.opened_at BETWEEN -62135596800000000 AND 253402300799999999
            AND coalesce(NEW.opening_floor, 0) BETWEEN -9007199254740991 AND 0
            AND coalesce(NEW.opening_ceiling, 0) BETWEEN 0 AND 9007199254740991) IS NOT TRUE;
END;

CREATE TRIGGER accounts_use_asset AFTER INSERT ON accounts
BEGIN
    UPDATE assets SET used = 1 WHERE code = NEW.asset AND used = 0;
END;

CREATE TRIGGER accounts_stay BEFORE UPDATE ON accounts
WHEN (NEW.shard = OLD.shard AND NEW.id = OLD.id AND NEW.asset = OLD.asset
      AND NEW.opened_at = OLD.opened_at AND NEW.opening_floor IS OLD.opening_floor
      AND NEW.opening_ceiling IS OLD.opening_ceiling) IS NOT TRUE
BEGIN
    SELECT RAISE(ROLLBACK,
        'passbook guard: nothing of an account changes in place but its metadata');
END;

CREATE TRIGGER accounts_remain BEFORE DELETE ON accounts
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: an account is never deleted');
END;

-- Assets ------------------------------------------------------------------------------------------

CREATE TRIGGER assets_define BEFORE INSERT ON assets
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the asset exists')
     WHERE EXISTS (SELECT 1 FROM assets WHERE code = NEW.code);

    SELECT RAISE(ROLLBACK, 'passbook guard: code or definition of the asset is not of its form')
     WHERE (length(NEW.code) BETWEEN 1 AND 64
            AND length(CAST(NEW.code AS BLOB)) = length(NEW.code)
            AND NEW.code GLOB '[A-Za-z0-9]*' AND NEW.code NOT GLOB '*[^-A-Za-z0-9._:@+]*'
            AND NEW.used = 0 AND NEW.scale BETWEEN 0 AND 18
            AND NEW.balanced IN (0, 1) AND NEW.open_on_first_credit IN (0, 1)
            AND coalesce(NEW.floor, 0) BETWEEN -9007199254740991 AND 0
            AND coalesce(NEW.ceiling, 0) BETWEEN 0 AND 9007199254740991) IS NOT TRUE;
END;

CREATE TRIGGER assets_redefine BEFORE UPDATE ON assets
BEGIN
    SELECT RAISE(ROLLBACK,
        'passbook guard: the code of an asset never changes, nor that it is used')
     WHERE (NEW.code = OLD.code AND NEW.used IN (0, 1) AND NEW.used >= OLD.used) IS NOT TRUE;

    SELECT RAISE(ROLLBACK, 'passbook guard: scale and balanced of an asset in use never change')
     WHERE OLD.used <> 0
       AND (NEW.scale = OLD.scale AND NEW.balanced = OLD.balanced) IS NOT TRUE;

    SELECT RAISE(ROLLBACK, 'passbook guard: the definition of the asset is not of its form')
     WHERE (NEW.scale BETWEEN 0 AND 18
            AND NEW.balanced IN (0, 1) AND NEW.open_on_first_credit IN (0, 1)
            AND coalesce(NEW.floor, 0) BETWEEN -9007199254740991 AND 0
            AND coalesce(NEW.ceiling, 0) BETWEEN 0 AND 9007199254740991) IS NOT TRUE;
END;

CREATE TRIGGER assets_remain BEFORE DELETE ON assets
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: an asset is never deleted');
END;

-- Refusals ----------------------------------------------------------------------------------------

CREATE TRIGGER refusals_keep BEFORE INSERT ON refusals
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the key already stands for an entry of this account')
     WHERE EXISTS (SELECT 1 FROM entries
                    WHERE shard = NEW.shard AND account = NEW.subject AND key = NEW.key);

    SELECT RAISE(ROLLBACK, 'passbook guard: the key already stands for a refusal of this account')
     WHERE EXISTS (SELECT 1 FROM refusals
                    WHERE shard = NEW.shard AND subject = NEW.subject AND key = NEW.key);

    SELECT RAISE(ROLLBACK, 'passbook guard: the subject of the refusal does not exist')
     WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE shard = NEW.shard AND id = NEW.subject);

    SELECT RAISE(ROLLBACK,
        'passbook guard: key, fingerprint, format or code is not of its form')
     WHERE (length(NEW.fingerprint) = 16 AND NEW.format >= 1
            AND length(NEW.key) BETWEEN 1 AND 128 AND NEW.key NOT GLOB '*[^]!#-[^-~]*'
            AND length(CAST(NEW.key AS BLOB)) = length(NEW.key)
            AND NEW.code BETWEEN 300 AND 499
            AND NEW.recorded_at BETWEEN -62135596800000000 AND 253402300799999999) IS NOT TRUE;
END;

CREATE TRIGGER refusals_stay BEFORE UPDATE ON refusals
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a refusal never changes');
END;

-- A refusal may go when it is old: a key that late a client no longer repeats.
CREATE TRIGGER refusals_remain BEFORE DELETE ON refusals
WHEN OLD.recorded_at > (unixepoch() - 30 * 86400) * 1000000
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a refusal is kept for 30 days at least');
END;

-- Format ------------------------------------------------------------------------------------------

CREATE TRIGGER format_write BEFORE INSERT ON format
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the format of a store is written once')
     WHERE EXISTS (SELECT 1 FROM format) OR NEW.one IS NOT 1;
END;

CREATE TRIGGER format_upgrade BEFORE UPDATE ON format
WHEN (NEW.one = OLD.one AND NEW.shards = OLD.shards AND NEW.hash = OLD.hash
      AND NEW.version >= OLD.version AND NEW.min_version >= OLD.min_version) IS NOT TRUE
BEGIN
    SELECT RAISE(ROLLBACK,
        'passbook guard: a store is upgraded, and nothing else of its format changes');
END;

CREATE TRIGGER format_remain BEFORE DELETE ON format
BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the format of a store is never deleted');
END;
