-- SPDX-License-Identifier: Apache-2.0
-- Three users for a store in a database of its own, none with more than it needs:
--   owner    runs `passbook migrate`, and the guards run as it; nobody works as it from day to day
--   server   what `passbook serve` logs in as: it adds rows, and changes no entry whatever it runs
--   reader   looks, for reports and for people
--
-- Run it as root with the mariadb client, twice: before the first `passbook migrate`, which makes
-- the users, and after it, which gives them their rights. Again after each later one does no harm.
-- The names of the database and the users are yours to choose:
--
--   mariadb -e "SET @store = 'passbook', @owner = 'passbook_owner', @server = 'passbook_server',
--               @reader = 'passbook_reader', @host = '%'; SOURCE roles.sql"
--
-- The users come locked; give each a password and unlock it:
--   ALTER USER passbook_server@'%' IDENTIFIED BY '...' ACCOUNT UNLOCK;
--
-- The guards do not depend on who writes, but on two rights that nobody here has:
--   DROP, with which TRUNCATE comes, and which asks no trigger. A step of a later version that
--     drops something needs it: grant it to the owner, migrate, and revoke it again.
--   CREATE TEMPORARY TABLES, for such a table hides the one of its name from the guards.
-- Guards run as the owner: a store whose owner is dropped or renamed takes no write. Where the
-- server keeps a binary log, the owner may make triggers only while the server's setting
-- log_bin_trust_function_creators is on.

DELIMITER //
BEGIN NOT ATOMIC
    DECLARE store VARCHAR(66) DEFAULT COALESCE(@store, 'passbook');
    DECLARE host VARCHAR(255) DEFAULT COALESCE(@host, '%');
    DECLARE owner, server, reader VARCHAR(400);
    DECLARE is_migrated BOOLEAN DEFAULT EXISTS (
        SELECT 1 FROM information_schema.tables
         WHERE table_schema = store AND table_name = 'leases');

    SET owner = CONCAT(QUOTE(COALESCE(@owner, 'passbook_owner')), '@', QUOTE(host)),
        server = CONCAT(QUOTE(COALESCE(@server, 'passbook_server')), '@', QUOTE(host)),
        reader = CONCAT(QUOTE(COALESCE(@reader, 'passbook_reader')), '@', QUOTE(host)),
        store = CONCAT('`', REPLACE(store, '`', '``'), '`');

    EXECUTE IMMEDIATE CONCAT('CREATE DATABASE IF NOT EXISTS ', store,
                             ' CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin');
    EXECUTE IMMEDIATE CONCAT('CREATE USER IF NOT EXISTS ', owner, ', ', server, ', ', reader,
                             ' ACCOUNT LOCK');
    EXECUTE IMMEDIATE CONCAT('GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX,',
                             ' REFERENCES, TRIGGER, CREATE VIEW, SHOW VIEW ON ', store, '.* TO ',
                             owner);
    IF is_migrated THEN
        EXECUTE IMMEDIATE CONCAT('GRANT SELECT, SHOW VIEW ON ', store, '.* TO ', server);
        EXECUTE IMMEDIATE CONCAT('GRANT SELECT, SHOW VIEW ON ', store, '.* TO ', reader);
        EXECUTE IMMEDIATE CONCAT('GRANT INSERT, UPDATE (scale, balanced, open_on_first_credit,',
                                 ' floor, ceiling) ON ', store, '.assets TO ', server);
        EXECUTE IMMEDIATE CONCAT('GRANT INSERT, UPDATE (metadata) ON ', store, '.accounts TO ',
                                 server);
        EXECUTE IMMEDIATE CONCAT('GRANT INSERT ON ', store, '.entries TO ', server);
        -- DELETE of the old ones, which the guard on refusals sees to.
        EXECUTE IMMEDIATE CONCAT('GRANT INSERT, DELETE ON ', store, '.refusals TO ', server);
        EXECUTE IMMEDIATE CONCAT('GRANT INSERT, UPDATE (fence, token, expires_at) ON ', store,
                                 '.leases TO ', server);
        EXECUTE IMMEDIATE CONCAT('GRANT UPDATE (number) ON ', store, '.confirms TO ', server);
    END IF;
END//
DELIMITER ;
