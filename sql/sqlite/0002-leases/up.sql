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
    fence      INTEGER NOT NULL,
    token      TEXT,     -- with expires_at; NULL: nobody holds it
    expires_at INTEGER,
    PRIMARY KEY (shard, key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER leases_take BEFORE INSERT ON leases
WHEN (NEW.shard BETWEEN 0 AND 255 AND NEW.fence BETWEEN 1 AND 9007199254740991
      AND length(NEW.key) <= 64 AND NEW.key GLOB '[A-Za-z0-9]*'
      AND NEW.key NOT GLOB '*[^-A-Za-z0-9._:@+]*'
      AND (NEW.token IS NULL) = (NEW.expires_at IS NULL)) IS NOT TRUE BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a lease is not of its form');
END;

CREATE TRIGGER leases_stay BEFORE UPDATE ON leases
WHEN (NEW.fence BETWEEN OLD.fence AND 9007199254740991
      AND NEW.shard = OLD.shard AND NEW.key = OLD.key
      AND (NEW.token IS NULL) = (NEW.expires_at IS NULL)) IS NOT TRUE BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: the fence of a key never shrinks');
END;

CREATE TRIGGER leases_remain BEFORE DELETE ON leases BEGIN
    SELECT RAISE(ROLLBACK, 'passbook guard: a lease is never deleted');
END;
