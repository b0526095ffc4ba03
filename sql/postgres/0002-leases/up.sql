-- SPDX-License-Identifier: Apache-2.0
-- Leases: who holds a key of a lock until when, by this database's clock, and the fence: a number
-- that grows with every change of owner. Whoever writes under a lock carries the number he got, and
-- the writer's transaction compares it here, which is what keeps a late holder out. Keys that are
-- held elsewhere, such as on Redis, have a row as well, for the fence alone.
--
-- A row is never deleted, nor does its fence ever shrink: a number that came twice would let a late
-- holder in.

SET search_path = passbook;

CREATE TABLE leases (
    shard      smallint NOT NULL,
    key        text COLLATE "C" NOT NULL,
    fence      bigint NOT NULL,
    token      text COLLATE "C",  -- with expires_at; NULL: nobody holds it
    expires_at timestamptz,
    PRIMARY KEY (shard, key),
    CONSTRAINT leases_key CHECK (
        length(key) <= 64 AND key ~ '^[A-Za-z0-9][-A-Za-z0-9._:@+]*$'),
    CONSTRAINT leases_shard CHECK (
        shard = get_byte(sha256(convert_to(key, 'UTF8')), 0)),
    CONSTRAINT leases_fence CHECK (fence BETWEEN 1 AND 9007199254740991),
    CONSTRAINT leases_held CHECK ((token IS NULL) = (expires_at IS NULL))
) WITH (fillfactor = 50);  -- every change is to a row that stays on its page

CREATE TRIGGER leases_stay BEFORE UPDATE ON leases FOR EACH ROW
    WHEN (NEW.fence < OLD.fence OR NEW.key <> OLD.key)
    EXECUTE FUNCTION refuse('the fence of a key never shrinks');
CREATE TRIGGER leases_remain BEFORE DELETE ON leases FOR EACH ROW
    EXECUTE FUNCTION refuse('a lease is never deleted, for its fence would begin anew');
CREATE TRIGGER leases_truncate BEFORE TRUNCATE ON leases
    EXECUTE FUNCTION refuse('a lease is never deleted, for its fence would begin anew');
ALTER TABLE leases ENABLE ALWAYS TRIGGER leases_stay;
ALTER TABLE leases ENABLE ALWAYS TRIGGER leases_remain;
ALTER TABLE leases ENABLE ALWAYS TRIGGER leases_truncate;
