-- SPDX-License-Identifier: Apache-2.0
-- The ledger, and the guards that keep it true whoever writes. An INSERT into entries is the only
-- thing that moves anything, and an account's last entry is its state: balance, held, status and
-- limits are kept nowhere else, so nothing can drift apart. The numbers of kinds and states are
-- those of sql/sqlite/0001-ledger/up.sql. docs/decisions/0014-guards-on-mariadb.md says why the
-- guards are built so, why two sessions at once cannot get past them, and what they cost.
--
-- A line that holds nothing but two hyphens, a blank and `next` stands between statements, for a
-- trigger's own hold semicolons: split the file there, and give each part to the server as it is.
--
-- For whoever changes this file:
--   A statement in a trigger is made ready anew for every row, and most of an INSERT's time would
--   go there. So what a row shows by itself is a CHECK, that it follows from the one before is a
--   foreign key, and that neither its key nor its place is taken is a primary key. A session can
--   switch CHECKs and keys off: a trigger that lets rows through refuses such a session, which
--   makes them as firm as a trigger.
--   NULL passes a CHECK: conditions are compared with IS TRUE. NULL passes a foreign key as well.
--   What else takes another row is looked for AFTER the row is in, always with LOCK IN SHARE MODE:
--   such a look sees what is committed by now, whatever the session's isolation and however old
--   its snapshot, and waits for what is not. Of two rows that do not go together one is in first,
--   and the look behind the other finds it.
--   IGNORE, REPLACE and ON DUPLICATE KEY UPDATE ask triggers as plain statements do.
--   A temporary table hides the table of its name from triggers as well. No role of roles.sql may
--   make one.
--   A trigger has the sql_mode that was set when it was made, hence the first statement. Patterns
--   take no dot and no end of a line, whose meaning a session can change (default_regex_flags).
--   NOW() is what a session says it is (SET timestamp); SYSDATE() is not.
--   9007199254740991 is 2^53-1, the bound of every amount and balance. Times are microseconds since
--   1970 in UTC; 253402300799999999 ends the year 9999.

SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';
-- next
CREATE TABLE format (
    one         TINYINT  NOT NULL PRIMARY KEY,
    version     INT      NOT NULL,  -- the last step that was applied
    min_version INT      NOT NULL,  -- what a program must know at least to write here
    shards      INT      NOT NULL,
    hash        VARCHAR(16) NOT NULL,  -- its first byte over a subject's id is the shard
    CONSTRAINT format_once CHECK (one = 1)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
CREATE TABLE assets (
    code                 VARCHAR(64) NOT NULL PRIMARY KEY,
    scale                SMALLINT NOT NULL,
    balanced             TINYINT  NOT NULL,
    open_on_first_credit TINYINT  NOT NULL,
    floor                BIGINT,            -- NULL: none
    ceiling              BIGINT,
    used                 TINYINT  NOT NULL, -- 1 from its first account on
    CONSTRAINT assets_code CHECK (
        code <> '' AND LEFT(code, 1) RLIKE '[A-Za-z0-9]' AND code NOT RLIKE '[^-A-Za-z0-9._:@+]'),
    CONSTRAINT assets_definition CHECK ((
        scale BETWEEN 0 AND 18
        AND balanced IN (0, 1) AND open_on_first_credit IN (0, 1) AND used IN (0, 1)
        AND COALESCE(floor, 0) BETWEEN -9007199254740991 AND 0
        AND COALESCE(ceiling, 0) BETWEEN 0 AND 9007199254740991) IS TRUE)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
-- What an account is and how it opened. What it has become, its last entry says.
CREATE TABLE accounts (
    shard           SMALLINT NOT NULL,
    id              VARCHAR(64) NOT NULL,
    asset           VARCHAR(64) NOT NULL,
    opened_at       BIGINT   NOT NULL,
    opening_floor   BIGINT,
    opening_ceiling BIGINT,
    metadata        TEXT,
    PRIMARY KEY (shard, id),
    CONSTRAINT accounts_id CHECK (
        id <> '' AND LEFT(id, 1) RLIKE '[A-Za-z0-9]' AND id NOT RLIKE '[^-A-Za-z0-9._:@+]'),
    CONSTRAINT accounts_shard CHECK (shard = CONV(LEFT(SHA2(id, 256), 2), 16, 10)),
    CONSTRAINT accounts_opening CHECK ((
        opened_at BETWEEN -62135596800000000 AND 253402300799999999
        AND COALESCE(opening_floor, 0) BETWEEN -9007199254740991 AND 0
        AND COALESCE(opening_ceiling, 0) BETWEEN 0 AND 9007199254740991) IS TRUE)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
-- One row per change: the account's journal, the request that made it, its event, the state after.
CREATE TABLE entries (
    shard         SMALLINT NOT NULL,
    account       VARCHAR(64) NOT NULL,
    seq           BIGINT   NOT NULL,
    kind          TINYINT  NOT NULL,
    amount        BIGINT   NOT NULL,
    held_change   BIGINT   NOT NULL,
    balance_after BIGINT   NOT NULL,
    held_after    BIGINT   NOT NULL,
    recorded_at   BIGINT   NOT NULL,
    status        TINYINT  NOT NULL,  -- after it: 1 open, 2 frozen, 3 closed
    floor         BIGINT,             -- after it; NULL: none
    ceiling       BIGINT,             -- after it
    effective_at  BIGINT,
    `key`         VARCHAR(128),       -- these three on the subject of a request that has a key
    fingerprint   VARBINARY(16),
    format        SMALLINT,
    subject_shard SMALLINT,           -- these three on the other accounts of a transaction
    subject       VARCHAR(64),
    subject_seq   BIGINT,
    target        BIGINT,             -- seq of the subject's entry that is acted on: the hold of a
                                      -- commit, void or expire, the transaction of a reverse
    reverses      BIGINT,             -- seq of the entry of this account that is taken back
    expires_at    BIGINT,             -- kind hold
    reason        VARCHAR(1024),
    metadata      TEXT,
    -- Of the entry before, as far as this one shows it: a foreign key finds it by all of that. Who
    -- leaves previous_at out has entries_follow look for it.
    previous_at    BIGINT,
    previous       BIGINT AS (seq - 1) PERSISTENT,
    balance_before BIGINT AS (balance_after - amount) PERSISTENT,
    held_before    BIGINT AS (held_after - held_change) PERSISTENT,
    least_balance  BIGINT AS (COALESCE(floor, -9007199254740992)) PERSISTENT,
    most_balance   BIGINT AS (COALESCE(ceiling, 9007199254740992)) PERSISTENT,
    PRIMARY KEY (shard, account, seq),
    KEY entries_after (shard, account, seq, balance_after, held_after, recorded_at, status,
                       least_balance, most_balance),
    KEY entries_before (shard, account, previous, balance_before, held_before, previous_at, status,
                        least_balance, most_balance),
    CONSTRAINT entries_chain FOREIGN KEY (shard, account, previous, balance_before, held_before,
                                          previous_at, status, least_balance, most_balance)
    REFERENCES entries (shard, account, seq, balance_after, held_after, recorded_at, status,
                        least_balance, most_balance),
    CONSTRAINT entries_previous CHECK (
        previous_at IS NULL OR (previous_at <= recorded_at AND seq > 1 AND kind < 10) IS TRUE),
    CONSTRAINT entries_kind CHECK (CASE
        WHEN kind IN (1, 2) THEN IF(kind = 1, amount > 0, amount < 0)
             AND held_change = 0 AND `key` IS NOT NULL
             AND COALESCE(subject, target, reverses, expires_at) IS NULL
        WHEN kind IN (3, 4) THEN amount <> 0 AND held_change = 0
             AND (`key` IS NULL) <> (subject IS NULL)
             AND COALESCE(target, reverses, expires_at) IS NULL
        WHEN kind = 5 THEN held_change = 0 AND expires_at IS NULL
             AND (`key` IS NULL) <> (subject IS NULL)
             AND target >= 1 AND (reverses IS NULL) = (amount = 0)
             AND (reverses IS NULL OR reverses < seq)
             AND (amount <> 0 OR `key` IS NOT NULL)
        WHEN kind = 6 THEN amount = 0 AND held_change > 0 AND `key` IS NOT NULL
             AND expires_at > recorded_at
             AND COALESCE(subject, target, reverses) IS NULL
        WHEN kind = 7 AND subject IS NULL THEN amount < 0
             AND held_change <= amount AND `key` IS NOT NULL
             AND target IS NOT NULL AND COALESCE(reverses, expires_at) IS NULL
        WHEN kind = 7 THEN amount > 0 AND held_change = 0 AND `key` IS NULL
             AND target >= 1 AND COALESCE(reverses, expires_at) IS NULL
        WHEN kind IN (8, 9) THEN amount = 0 AND held_change < 0
             AND target IS NOT NULL AND (`key` IS NULL) = (kind = 9)
             AND COALESCE(subject, reverses, expires_at) IS NULL
        WHEN kind BETWEEN 10 AND 13 THEN amount = 0 AND held_change = 0
             AND COALESCE(subject, target, reverses, expires_at) IS NULL
             AND (kind < 13 OR `key` IS NULL)
        END IS TRUE),
    CONSTRAINT entries_subject_form CHECK (CASE
        WHEN subject IS NULL THEN COALESCE(subject_shard, subject_seq) IS NULL
        ELSE subject_shard = CONV(LEFT(SHA2(subject, 256), 2), 16, 10)
             AND subject_seq >= 1 AND subject <> account END IS TRUE),
    CONSTRAINT entries_key_form CHECK (CASE
        WHEN `key` IS NULL THEN fingerprint IS NULL AND format IS NULL
        ELSE LENGTH(fingerprint) = 16 AND format >= 1
             AND `key` <> '' AND `key` NOT RLIKE '[^]!#-[^-~]' END IS TRUE),
    CONSTRAINT entries_range CHECK ((
        seq >= 1
        AND amount BETWEEN -9007199254740991 AND 9007199254740991
        AND held_change BETWEEN -9007199254740991 AND 9007199254740991
        AND balance_after BETWEEN -9007199254740991 AND 9007199254740991
        AND held_after BETWEEN 0 AND 9007199254740991
        AND balance_after - held_after >= -9007199254740991
        AND COALESCE(floor, 0) BETWEEN -9007199254740991 AND 9007199254740991
        AND COALESCE(ceiling, 0) BETWEEN -9007199254740991 AND 9007199254740991
        AND recorded_at BETWEEN -62135596800000000 AND 253402300799999999
        AND COALESCE(effective_at, 0) BETWEEN -62135596800000000 AND 253402300799999999
        AND COALESCE(expires_at, 0) <= 253402300799999999) IS TRUE),
    CONSTRAINT entries_floor CHECK (floor IS NULL OR balance_after - held_after >= floor),
    CONSTRAINT entries_ceiling CHECK (ceiling IS NULL OR balance_after <= ceiling),
    CONSTRAINT entries_close CHECK (kind <> 12 OR balance_after = 0 AND held_after = 0),
    CONSTRAINT entries_status CHECK (CASE
        WHEN kind < 8 THEN status = 1
        WHEN kind < 10 OR kind = 13 THEN status IN (1, 2)
        ELSE status = ELT(kind - 9, 2, 1, 3) END IS TRUE)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
-- Follows from the entries: what finds the open holds of an account, and the due ones, by a seek.
CREATE TABLE holds (
    shard      SMALLINT NOT NULL,
    account    VARCHAR(64) NOT NULL,
    opened_seq BIGINT   NOT NULL,  -- of the entry that opened it
    amount     BIGINT   NOT NULL,
    committed  BIGINT   NOT NULL,
    status     TINYINT  NOT NULL,  -- 1 open, 2 committed, 3 voided, 4 expired
    expires_at BIGINT   NOT NULL,
    closed_seq BIGINT,
    PRIMARY KEY (shard, account, opened_seq),
    KEY holds_open (shard, account, status, expires_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
CREATE TABLE refusals (
    shard       SMALLINT NOT NULL,
    subject     VARCHAR(64) NOT NULL,
    `key`       VARCHAR(128) NOT NULL,
    fingerprint VARBINARY(16) NOT NULL,
    format      SMALLINT NOT NULL,
    code        SMALLINT NOT NULL,
    at_account  VARCHAR(64),
    n1          BIGINT   NOT NULL,
    n2          BIGINT   NOT NULL,
    n3          BIGINT   NOT NULL,
    recorded_at BIGINT   NOT NULL,
    PRIMARY KEY (shard, subject, `key`),
    CONSTRAINT refusals_form CHECK ((
        LENGTH(fingerprint) = 16 AND format >= 1 AND code BETWEEN 300 AND 499
        AND `key` <> '' AND `key` NOT RLIKE '[^]!#-[^-~]'
        AND recorded_at BETWEEN -62135596800000000 AND 253402300799999999) IS TRUE)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
-- What of an account is taken: keys, by an entry or a refusal, and the seq of entries, said as a
-- name that no key can have. Legs take the seq of a subject that is not there yet.
CREATE TABLE taken (
    shard   SMALLINT NOT NULL,
    account VARCHAR(64) NOT NULL,
    name    VARCHAR(128) NOT NULL,
    seq     BIGINT,             -- of the entry; NULL: of a refusal
    PRIMARY KEY (shard, account, name)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
-- The entries that an entry is named by: its legs, and what takes it back.
CREATE TABLE links (
    shard      SMALLINT NOT NULL,
    account    VARCHAR(64) NOT NULL,
    seq        BIGINT   NOT NULL,
    by_shard   SMALLINT NOT NULL,
    by_account VARCHAR(64) NOT NULL,
    by_seq     BIGINT   NOT NULL,
    PRIMARY KEY (shard, account, seq, by_shard, by_account, by_seq)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
-- A server that must prove that its primary still takes writes counts one of these up, each of its
-- connections another, so that none waits for another.
CREATE TABLE confirms (
    place  TINYINT NOT NULL PRIMARY KEY,
    number BIGINT  NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
-- next
INSERT INTO confirms (place, number) VALUES
    (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0),
    (11, 0), (12, 0), (13, 0), (14, 0), (15, 0);
-- next
-- For people: every account as it stands.
CREATE SQL SECURITY INVOKER VIEW balances (shard, account, asset, status, balance, held, available,
                                           seq, floor, ceiling, recorded_at) AS
SELECT a.shard, a.id, a.asset,
       CASE COALESCE(e.status, 1) WHEN 1 THEN 'open' WHEN 2 THEN 'frozen' ELSE 'closed' END,
       COALESCE(e.balance_after, 0), COALESCE(e.held_after, 0),
       COALESCE(e.balance_after - e.held_after, 0), COALESCE(e.seq, 0),
       CASE WHEN e.seq IS NULL THEN a.opening_floor ELSE e.floor END,
       CASE WHEN e.seq IS NULL THEN a.opening_ceiling ELSE e.ceiling END,
       COALESCE(e.recorded_at, a.opened_at)
  FROM accounts a
  LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id
        AND e.seq = (SELECT MAX(seq) FROM entries WHERE shard = a.shard AND account = a.id);
-- next
-- Entries: what goes in ---------------------------------------------------------------------------

-- On the path of every write.
CREATE TRIGGER entries_follow AFTER INSERT ON entries FOR EACH ROW
follow: BEGIN
    DECLARE is_taken TINYINT;

    IF @@check_constraint_checks = 0 OR @@unique_checks = 0 OR @@foreign_key_checks = 0 THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'entries', CONSTRAINT_NAME = 'entries_follow',
            MESSAGE_TEXT = 'passbook guard: a store is written with CHECKs and keys on';
    END IF;
    BEGIN
        DECLARE CONTINUE HANDLER FOR 1062 SET is_taken = 1;
        IF NEW.`key` IS NULL THEN
            INSERT INTO taken VALUES (NEW.shard, NEW.account, CONCAT('"', NEW.seq), NEW.seq);
        ELSE
            INSERT INTO taken VALUES (NEW.shard, NEW.account, CONCAT('"', NEW.seq), NEW.seq),
                                     (NEW.shard, NEW.account, NEW.`key`, NEW.seq);
        END IF;
    END;

    -- Most entries need no more.
    IF (is_taken OR NEW.previous_at IS NULL OR NEW.kind > 4
        OR NEW.subject IS NOT NULL) IS NOT TRUE THEN
        LEAVE follow;
    END IF;
    BEGIN
        DECLARE fault VARCHAR(120) CHARACTER SET utf8mb4;
        DECLARE is_right, state TINYINT;
        DECLARE balance, held, recorded, least, most BIGINT;

        -- Its key stands already, or legs have named it before it was there.
        IF is_taken THEN
            SET fault = CASE
                WHEN EXISTS (
                    SELECT 1 FROM refusals r
                     WHERE r.shard = NEW.shard AND r.subject = NEW.account AND r.`key` = NEW.`key`
                      LOCK IN SHARE MODE) THEN
                    'the key already stands for a refusal of this account'
                WHEN EXISTS (
                    SELECT 1 FROM links k JOIN entries l
                        ON l.shard = k.by_shard AND l.account = k.by_account AND l.seq = k.by_seq
                     WHERE k.shard = NEW.shard AND k.account = NEW.account AND k.seq = NEW.seq
                       AND l.subject = NEW.account
                       AND (l.kind = NEW.kind AND l.recorded_at = NEW.recorded_at
                            AND l.target <=> NEW.target AND NEW.`key` IS NOT NULL) IS NOT TRUE
                      LOCK IN SHARE MODE) THEN
                    'an entry that names this one is of another transaction'
                END;
            IF fault IS NULL AND NEW.`key` IS NOT NULL THEN
                INSERT INTO taken VALUES (NEW.shard, NEW.account, NEW.`key`, NEW.seq);
            END IF;
        END IF;

        -- What the foreign key has not compared, rule by rule.
        IF NEW.previous_at IS NULL AND fault IS NULL THEN
            IF NEW.seq > 1 THEN
                SELECT balance_after, held_after, recorded_at, status, floor, ceiling
                  INTO balance, held, recorded, state, least, most
                  FROM entries
                 WHERE shard = NEW.shard AND account = NEW.account AND seq = NEW.seq - 1
                  LOCK IN SHARE MODE;
            ELSE
                SELECT 0, 0, opened_at, 1, opening_floor, opening_ceiling
                  INTO balance, held, recorded, state, least, most
                  FROM accounts
                 WHERE shard = NEW.shard AND id = NEW.account
                  LOCK IN SHARE MODE;
            END IF;
            SET fault = CASE
                WHEN balance IS NULL AND NEW.seq > 1 THEN 'seq is not the next of its account'
                WHEN balance IS NULL THEN 'the account does not exist'
                WHEN balance + NEW.amount <> NEW.balance_after THEN
                    'balance_after is not the balance before plus amount'
                WHEN held + NEW.held_change <> NEW.held_after THEN
                    'held_after is not what was held before plus held_change'
                WHEN recorded > NEW.recorded_at THEN
                    'recorded_at is before the last entry or the opening of the account'
                WHEN state = 3 THEN 'the account is closed'
                WHEN state = 2 AND NEW.kind < 8 THEN 'the account is frozen'
                WHEN NEW.status <> state AND NEW.kind NOT IN (10, 11, 12) THEN
                    'status does not follow from the kind of entry'
                WHEN NEW.kind <> 13 AND NOT (NEW.floor <=> least AND NEW.ceiling <=> most) THEN
                    'only an entry of kind limits changes floor and ceiling'
                END;
        END IF;

        -- The entries of a transaction on other accounts name the subject's. Whichever of the two
        -- comes second is held to the first. That the other never comes is for the reconciliation
        -- to find.
        IF NEW.subject IS NOT NULL AND fault IS NULL THEN
            INSERT INTO links VALUES (NEW.subject_shard, NEW.subject, NEW.subject_seq,
                                      NEW.shard, NEW.account, NEW.seq);
            -- It may be on its way, and waits for this here, or this for it.
            INSERT IGNORE INTO taken VALUES (NEW.subject_shard, NEW.subject,
                                             CONCAT('"', NEW.subject_seq), NEW.subject_seq);
            SET is_right = (
                SELECT s.kind = NEW.kind AND s.recorded_at = NEW.recorded_at
                       AND s.target <=> NEW.target AND s.`key` IS NOT NULL
                  FROM entries s
                 WHERE s.shard = NEW.subject_shard AND s.account = NEW.subject
                   AND s.seq = NEW.subject_seq
                  LOCK IN SHARE MODE);
            IF is_right = 0 THEN
                SET fault = 'subject names no entry of this transaction that carries a key';
            END IF;
        END IF;

        IF NEW.kind = 5 AND NEW.subject IS NULL AND fault IS NULL AND NOT EXISTS (
           SELECT 1 FROM entries t
            WHERE t.shard = NEW.shard AND t.account = NEW.account AND t.seq = NEW.target
              AND t.kind BETWEEN 1 AND 4 AND t.`key` IS NOT NULL
             LOCK IN SHARE MODE) THEN
            SET fault = 'target names no transaction of this account that can be reversed';
        END IF;

        IF NEW.reverses IS NOT NULL AND fault IS NULL THEN
            INSERT INTO links VALUES (NEW.shard, NEW.account, NEW.reverses,
                                      NEW.shard, NEW.account, NEW.seq);
            SET fault = COALESCE((
                SELECT CASE
                       WHEN (o.kind BETWEEN 1 AND 4
                             AND COALESCE(o.subject_shard, o.shard)
                                 = COALESCE(NEW.subject_shard, NEW.shard)
                             AND COALESCE(o.subject, o.account)
                                 = COALESCE(NEW.subject, NEW.account)
                             AND COALESCE(o.subject_seq, o.seq) = NEW.target) IS NOT TRUE THEN NULL
                       WHEN (SIGN(NEW.amount) = -SIGN(o.amount) AND (
                             SELECT ABS(SUM(r.amount)) FROM links k JOIN entries r
                                 ON r.shard = k.by_shard AND r.account = k.by_account
                                AND r.seq = k.by_seq
                              WHERE k.shard = NEW.shard AND k.account = NEW.account
                                AND k.seq = NEW.reverses AND r.account = NEW.account
                                AND r.reverses = NEW.reverses
                               LOCK IN SHARE MODE) <= ABS(o.amount)) IS NOT TRUE THEN
                           'reversals have the opposite sign and together never exceed the entry'
                       ELSE '' END
                  FROM entries o
                 WHERE o.shard = NEW.shard AND o.account = NEW.account AND o.seq = NEW.reverses
                  LOCK IN SHARE MODE),
                'reverses names no entry of the transaction that is reversed');
            SET fault = NULLIF(fault, '');
        END IF;

        IF NEW.kind BETWEEN 6 AND 9 AND NEW.subject IS NULL AND fault IS NULL THEN
            IF NEW.kind = 6 THEN
                INSERT INTO holds (shard, account, opened_seq, amount, committed, status,
                                   expires_at)
                VALUES (NEW.shard, NEW.account, NEW.seq, NEW.held_change, 0, 1, NEW.expires_at);
            ELSE
                UPDATE holds
                   SET status = NEW.kind - 5, committed = -NEW.amount, closed_seq = NEW.seq
                 WHERE shard = NEW.shard AND account = NEW.account AND opened_seq = NEW.target
                   AND closed_seq IS NULL AND amount = -NEW.held_change
                   AND (NEW.kind <> 9 OR expires_at <= NEW.recorded_at);
                IF ROW_COUNT() <> 1 THEN
                    SET fault =
                        'target names no open hold of this account and amount, or none that is due';
                END IF;
            END IF;
        END IF;

        IF fault IS NOT NULL THEN
            SET fault = CONCAT('passbook guard: ', fault);
            IF fault LIKE '%the key already stands for %' THEN  -- as any other key that is used
                SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = fault,
                    CONSTRAINT_NAME = 'entries_follow';
            END IF;
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = fault, CONSTRAINT_NAME = 'entries_follow';
        END IF;
    END;
END;
-- next
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'entries', CONSTRAINT_NAME = 'entries_stay',
        MESSAGE_TEXT = 'passbook guard: an entry never changes';
-- next
CREATE TRIGGER entries_remain BEFORE DELETE ON entries FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'entries', CONSTRAINT_NAME = 'entries_remain',
        MESSAGE_TEXT = 'passbook guard: an entry is never deleted';
-- next
CREATE TRIGGER holds_remain BEFORE DELETE ON holds FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'holds', CONSTRAINT_NAME = 'holds_remain',
        MESSAGE_TEXT = 'passbook guard: a hold is never deleted';
-- next
CREATE TRIGGER taken_stay BEFORE UPDATE ON taken FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'taken', CONSTRAINT_NAME = 'taken_stay',
        MESSAGE_TEXT = 'passbook guard: what is taken never changes';
-- next
-- But for the key of a refusal that has gone.
CREATE TRIGGER taken_remain BEFORE DELETE ON taken FOR EACH ROW
    IF OLD.seq IS NOT NULL OR EXISTS (
       SELECT 1 FROM refusals
        WHERE shard = OLD.shard AND subject = OLD.account AND `key` = OLD.name
         LOCK IN SHARE MODE) THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'taken', CONSTRAINT_NAME = 'taken_remain',
            MESSAGE_TEXT = 'passbook guard: what is taken stays so';
    END IF;
-- next
CREATE TRIGGER links_stay BEFORE UPDATE ON links FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'links', CONSTRAINT_NAME = 'links_stay',
        MESSAGE_TEXT = 'passbook guard: what an entry is named by never changes';
-- next
CREATE TRIGGER links_remain BEFORE DELETE ON links FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'links', CONSTRAINT_NAME = 'links_remain',
        MESSAGE_TEXT = 'passbook guard: what an entry is named by is never deleted';
-- next
CREATE TRIGGER accounts_stay BEFORE UPDATE ON accounts FOR EACH ROW
    IF (NEW.shard = OLD.shard AND NEW.id = OLD.id AND NEW.asset = OLD.asset
        AND NEW.opened_at = OLD.opened_at AND NEW.opening_floor <=> OLD.opening_floor
        AND NEW.opening_ceiling <=> OLD.opening_ceiling) IS NOT TRUE THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'accounts', CONSTRAINT_NAME = 'accounts_stay',
            MESSAGE_TEXT =
                'passbook guard: nothing of an account changes in place but its metadata';
    END IF;
-- next
CREATE TRIGGER accounts_remain BEFORE DELETE ON accounts FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'accounts', CONSTRAINT_NAME = 'accounts_remain',
        MESSAGE_TEXT = 'passbook guard: an account is never deleted';
-- next
CREATE TRIGGER assets_remain BEFORE DELETE ON assets FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'assets', CONSTRAINT_NAME = 'assets_remain',
        MESSAGE_TEXT = 'passbook guard: an asset is never deleted';
-- next
CREATE TRIGGER refusals_stay BEFORE UPDATE ON refusals FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'refusals', CONSTRAINT_NAME = 'refusals_stay',
        MESSAGE_TEXT = 'passbook guard: a refusal never changes';
-- next
-- A refusal may go when it is old: a key that late a client no longer repeats.
CREATE TRIGGER refusals_remain BEFORE DELETE ON refusals FOR EACH ROW
    IF OLD.recorded_at > (UNIX_TIMESTAMP(SYSDATE()) - 30 * 86400) * 1000000 THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'refusals', CONSTRAINT_NAME = 'refusals_remain',
            MESSAGE_TEXT = 'passbook guard: a refusal is kept for 30 days at least';
    END IF;
-- next
CREATE TRIGGER refusals_release AFTER DELETE ON refusals FOR EACH ROW
    DELETE FROM taken
     WHERE shard = OLD.shard AND account = OLD.subject AND name = OLD.`key` AND seq IS NULL;
-- next
CREATE TRIGGER format_remain BEFORE DELETE ON format FOR EACH ROW
    SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'format', CONSTRAINT_NAME = 'format_remain',
        MESSAGE_TEXT = 'passbook guard: the format of a store is never deleted';
-- next
-- Only entries_follow gets through: the entry it acts for is there, and the hold is as it says.
CREATE TRIGGER holds_open AFTER INSERT ON holds FOR EACH ROW
    IF (NEW.status = 1 AND NEW.committed = 0 AND NEW.closed_seq IS NULL AND EXISTS (
        SELECT 1 FROM entries
         WHERE shard = NEW.shard AND account = NEW.account AND seq = NEW.opened_seq
           AND kind = 6 AND held_change = NEW.amount AND expires_at = NEW.expires_at
          LOCK IN SHARE MODE)) IS NOT TRUE THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'holds', CONSTRAINT_NAME = 'holds_open',
            MESSAGE_TEXT = 'passbook guard: a hold is opened by an entry of kind hold alone';
    END IF;
-- next
CREATE TRIGGER holds_close AFTER UPDATE ON holds FOR EACH ROW
    IF (OLD.status = 1 AND NEW.shard = OLD.shard AND NEW.account = OLD.account
        AND NEW.opened_seq = OLD.opened_seq AND NEW.amount = OLD.amount
        AND NEW.expires_at = OLD.expires_at AND EXISTS (
        SELECT 1 FROM entries
         WHERE shard = OLD.shard AND account = OLD.account AND seq = NEW.closed_seq
           AND kind = NEW.status + 5 AND target = OLD.opened_seq
           AND amount = -NEW.committed AND held_change = -OLD.amount
          LOCK IN SHARE MODE)) IS NOT TRUE THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'holds', CONSTRAINT_NAME = 'holds_close',
            MESSAGE_TEXT = 'passbook guard: a hold is closed by an entry that names it alone';
    END IF;
-- next
CREATE TRIGGER accounts_open AFTER INSERT ON accounts FOR EACH ROW
BEGIN
    DECLARE was_used TINYINT;

    IF @@check_constraint_checks = 0 THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'accounts', CONSTRAINT_NAME = 'accounts_open',
            MESSAGE_TEXT = 'passbook guard: a store is written with CHECKs on';
    END IF;
    SET was_used = (SELECT used FROM assets WHERE code = NEW.asset LOCK IN SHARE MODE);
    IF was_used IS NULL THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'accounts', CONSTRAINT_NAME = 'accounts_open',
            MESSAGE_TEXT = 'passbook guard: the asset of the account does not exist';
    END IF;
    IF was_used = 0 THEN
        UPDATE assets SET used = 1 WHERE code = NEW.asset;
    END IF;
END;
-- next
CREATE TRIGGER assets_define AFTER INSERT ON assets FOR EACH ROW
BEGIN
    DECLARE fault VARCHAR(120) CHARACTER SET utf8mb4 DEFAULT CASE
        WHEN @@check_constraint_checks = 0 THEN 'passbook guard: a store is written with CHECKs on'
        WHEN NEW.used <> 0 THEN
            'passbook guard: an asset is used from its first account on, not before' END;
    IF fault IS NOT NULL THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'assets', CONSTRAINT_NAME = 'assets_define',
            MESSAGE_TEXT = fault;
    END IF;
END;
-- next
CREATE TRIGGER assets_redefine BEFORE UPDATE ON assets FOR EACH ROW
BEGIN
    DECLARE fault VARCHAR(120) CHARACTER SET utf8mb4 DEFAULT CASE
        WHEN @@check_constraint_checks = 0 THEN 'passbook guard: a store is written with CHECKs on'
        WHEN (NEW.code = OLD.code AND NEW.used >= OLD.used) IS NOT TRUE THEN
            'passbook guard: the code of an asset never changes, nor that it is used'
        WHEN OLD.used <> 0
             AND (NEW.scale = OLD.scale AND NEW.balanced = OLD.balanced) IS NOT TRUE THEN
            'passbook guard: scale and balanced of an asset in use never change' END;
    IF fault IS NOT NULL THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'assets', CONSTRAINT_NAME = 'assets_redefine',
            MESSAGE_TEXT = fault;
    END IF;
END;
-- next
CREATE TRIGGER refusals_keep AFTER INSERT ON refusals FOR EACH ROW
BEGIN
    DECLARE EXIT HANDLER FOR 1062
        SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, CONSTRAINT_NAME = 'refusals_keep',
            MESSAGE_TEXT = 'passbook guard: the key already stands for an entry of this account';
    IF @@check_constraint_checks = 0 THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'refusals', CONSTRAINT_NAME = 'refusals_keep',
            MESSAGE_TEXT = 'passbook guard: a store is written with CHECKs on';
    END IF;
    INSERT INTO taken VALUES (NEW.shard, NEW.subject, NEW.`key`, NULL);
    IF NOT EXISTS (
       SELECT 1 FROM accounts WHERE shard = NEW.shard AND id = NEW.subject LOCK IN SHARE MODE) THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'refusals', CONSTRAINT_NAME = 'refusals_keep',
            MESSAGE_TEXT = 'passbook guard: the subject of the refusal does not exist';
    END IF;
END;
-- next
CREATE TRIGGER format_write AFTER INSERT ON format FOR EACH ROW
    IF @@check_constraint_checks = 0 THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'format', CONSTRAINT_NAME = 'format_write',
            MESSAGE_TEXT = 'passbook guard: a store is written with CHECKs on';
    END IF;
-- next
CREATE TRIGGER format_upgrade BEFORE UPDATE ON format FOR EACH ROW
    IF (NEW.one = OLD.one AND NEW.shards = OLD.shards AND NEW.hash = OLD.hash
        AND NEW.version >= OLD.version AND NEW.min_version >= OLD.min_version) IS NOT TRUE THEN
        SIGNAL SQLSTATE '45000' SET TABLE_NAME = 'format', CONSTRAINT_NAME = 'format_upgrade',
            MESSAGE_TEXT =
                'passbook guard: a store is upgraded, and nothing else of its format changes';
    END IF;
