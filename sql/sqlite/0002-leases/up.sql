-- SPDX-License-Identifier: Apache-2.0
-- Leases: who holds a key of a lock until when, by this machine's clock, and the fence: a number
-- that grows with every change of owner. Whoever writes under a lock carries the number he got, and
-- the writer's transaction compares it here, which is what keeps a late holder out. Keys that are
-- held elsewhere have a row as well, for the fence alone.
--
-- A row is never deleted, nor does its fence ever shrink: a number that came twice would let a late
-- holder in. Times are milliseconds since 1970 in UTC.

CREATE TABLE leases (
    shard      INTEGER NOT NULL,
    key        TEXT    NOT NULL,
    fence      INTEGER NOT NULL CHECK (fence BETWEEN 1 AND 9007199254740991),
    token      TEXT,     -- with expires_at; NULL: nobody holds it
    expires_at INTEGER,
    PRIMARY KEY (shard, key),
    CHECK ((token IS NULL) = (expires_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER leases_stay BEFORE UPDATE ON leases
WHEN NEW.fence < OLD.fence OR NEW.key <> OLD.key BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the fence of a key never shrinks');
END;

CREATE TRIGGER leases_remain BEFORE DELETE ON leases BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a lease is never deleted');
END;
