-- SPDX-License-Identifier: Apache-2.0
-- Leases: who holds a key of a lock until when, by this database's clock, and the fence: a number
-- that grows with every change of owner. Whoever writes under a lock carries the number he got, and
-- the writer's transaction compares it here, which is what keeps a late holder out. Keys that are
-- held elsewhere, such as on Redis, have a row as well, for the fence alone.
--
-- A row is never deleted, nor does its fence ever shrink: a number that came twice would let a late
-- holder in. Times are microseconds since 1970 in UTC.

SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';
-- next
CREATE TABLE leases (
    shard      SMALLINT NOT NULL,
    `key`      VARCHAR(64) NOT NULL,
    fence      BIGINT NOT NULL,  -- 0: nobody has held it yet
    token      VARCHAR(32),      -- with expires_at; NULL: nobody holds it
    expires_at BIGINT,
    PRIMARY KEY (shard, `key`),
    CONSTRAINT leases_key CHECK (
        `key` <> '' AND LEFT(`key`, 1) RLIKE '[A-Za-z0-9]'
        AND `key` NOT RLIKE '[^-A-Za-z0-9._:@+]'),
    CONSTRAINT leases_shard CHECK (shard = CONV(LEFT(SHA2(`key`, 256), 2), 16, 10)),
    CONSTRAINT leases_fence CHECK (fence BETWEEN 0 AND 9007199254740991),
    CONSTRAINT leases_held CHECK ((token IS NULL) = (expires_at IS NULL))
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
CREATE TRIGGER leases_take AFTER INSERT ON leases FOR EACH ROW
    IF @@check_constraint_checks = 0 THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'leases', CONSTRAINT_NAME = 'leases_take',
            MESSAGE_TEXT = 'passbook guard: a store is written with CHECKs on';
    END IF;
-- next
CREATE TRIGGER leases_stay BEFORE UPDATE ON leases FOR EACH ROW
BEGIN
    DECLARE fault VARCHAR(120) CHARACTER SET utf8mb4 DEFAULT CASE
        WHEN @@check_constraint_checks = 0 THEN 'passbook guard: a store is written with CHECKs on'
        WHEN NEW.fence < OLD.fence OR NEW.`key` <> OLD.`key` THEN
            'passbook guard: the fence of a key never shrinks' END;
    IF fault IS NOT NULL THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'leases', CONSTRAINT_NAME = 'leases_stay',
            MESSAGE_TEXT = fault;
    END IF;
END;
-- next
CREATE TRIGGER leases_remain BEFORE DELETE ON leases FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'leases', CONSTRAINT_NAME = 'leases_remain',
        MESSAGE_TEXT = 'passbook guard: a lease is never deleted, or its fence would begin anew';
