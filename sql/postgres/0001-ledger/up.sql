-- SPDX-License-Identifier: Apache-2.0
-- The ledger, and the guards that keep it true whoever writes. An INSERT into entries is the only
-- thing that moves anything, and an account's last entry is its state: balance, held, status and
-- limits are kept nowhere else, so nothing can drift apart. The numbers of kinds and states are
-- those of sql/sqlite/0001-ledger/up.sql. docs/decisions/0012-guards-on-postgresql.md says why the
-- guards are built so, why two sessions at once cannot get past them, and what they cost.
--
-- For whoever changes this file:
--   What a row shows by itself is a CHECK: no setting switches it off. NULL passes a CHECK, so
--   conditions are compared with IS TRUE. PostgreSQL reads a CHECK from its text for every
--   statement anew, and all that entries must fulfil would take longer so than a small batch of
--   rows: of theirs only floor and ceiling are CHECKs, the rest is in entries_follow.
--   What takes another row is a trigger, and each is ENABLE ALWAYS: as a replica a session fires no
--   others, foreign keys included, so there are none here.
--   A constraint or trigger that could be deferred would be looked at too late: there is none.
--   A guard that reads what can still change locks the account first, in a statement of its own: at
--   READ COMMITTED the next statement sees what the one before it waited for. At REPEATABLE READ it
--   would not, so guards of that kind refuse it.
--   Of an account's own entries a guard needs no lock to see all that came before: whoever wrote
--   entry n saw n-1, and the primary key takes one n only.
--   A guard's function names its search_path, or a session could put tables and operators of its
--   own before ours, and runs as its owner, so that the server needs no right to holds.
--   Each look-up of a guard stands in a subquery of its own, which only an index can answer. A join
--   is planned once per session, for the tables as they are then: a session that begins on an
--   empty store could go on reading whole tables when they have grown.
--   A subscription asks no statement trigger: a store must never be the target of one.
--   PB002 instead of PB001 says that a key is used: whoever had not looked it up acts on that.
--   9007199254740991 is 2^53-1, the bound of every amount and balance.

CREATE SCHEMA passbook;
SET search_path = passbook;

CREATE TABLE format (
    one         smallint NOT NULL PRIMARY KEY CONSTRAINT format_once CHECK (one = 1),
    version     integer  NOT NULL,  -- the last step that was applied
    min_version integer  NOT NULL,  -- what a program must know at least to write here
    shards      integer  NOT NULL,
    hash        text COLLATE "C" NOT NULL  -- its first byte over a subject's id is the shard
);

CREATE TABLE assets (
    code                 text COLLATE "C" NOT NULL PRIMARY KEY,
    scale                smallint NOT NULL,
    balanced             boolean  NOT NULL,
    open_on_first_credit boolean  NOT NULL,
    floor                bigint,            -- NULL: none
    ceiling              bigint,
    used                 boolean  NOT NULL, -- true from its first account on
    CONSTRAINT assets_code CHECK (
        length(code) <= 64 AND code ~ '^[A-Za-z0-9][-A-Za-z0-9._:@+]*$'),
    CONSTRAINT assets_definition CHECK ((
        scale BETWEEN 0 AND 18
        AND coalesce(floor, 0) BETWEEN -9007199254740991 AND 0
        AND coalesce(ceiling, 0) BETWEEN 0 AND 9007199254740991) IS TRUE)
);

-- What an account is and how it opened. What it has become, its last entry says.
CREATE TABLE accounts (
    shard           smallint NOT NULL,
    id              text COLLATE "C" NOT NULL,
    asset           text COLLATE "C" NOT NULL,
    opened_at       timestamptz NOT NULL,
    opening_floor   bigint,
    opening_ceiling bigint,
    metadata        text COLLATE "C",
    PRIMARY KEY (shard, id),
    CONSTRAINT accounts_id CHECK (
        length(id) <= 64 AND id ~ '^[A-Za-z0-9][-A-Za-z0-9._:@+]*$'),
    CONSTRAINT accounts_shard CHECK (
        shard = get_byte(sha256(convert_to(id, 'UTF8')), 0)),
    CONSTRAINT accounts_opening CHECK ((
        opened_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'
        AND coalesce(opening_floor, 0) BETWEEN -9007199254740991 AND 0
        AND coalesce(opening_ceiling, 0) BETWEEN 0 AND 9007199254740991) IS TRUE)
);

-- One row per change: the account's journal, the request that made it, its event, the state after.
-- Columns stand in the order that leaves no gaps between them.
CREATE TABLE entries (
    shard         smallint    NOT NULL,
    kind          smallint    NOT NULL,
    status        smallint    NOT NULL,  -- after it: 1 open, 2 frozen, 3 closed
    format        smallint,              -- with the key
    seq           bigint      NOT NULL,
    amount        bigint      NOT NULL,
    held_change   bigint      NOT NULL,
    balance_after bigint      NOT NULL,
    held_after    bigint      NOT NULL,
    recorded_at   timestamptz NOT NULL,
    floor         bigint,                -- after it; NULL: none
    ceiling       bigint,                -- after it
    effective_at  timestamptz,
    subject_seq   bigint,                -- with the subject
    target        bigint,                -- seq of the subject's entry that is acted on: the hold of
                                         -- a commit, void or expire, the transaction of a reverse
    reverses      bigint,                -- seq of the entry of this account that is taken back
    expires_at    timestamptz,           -- kind hold
    subject_shard smallint,              -- with the subject
    account       text COLLATE "C" NOT NULL,
    key           text COLLATE "C",      -- on the subject of a request that has a key
    fingerprint   bytea,                 -- with the key
    subject       text COLLATE "C",      -- on the other accounts of a transaction
    reason        text COLLATE "C",
    metadata      text COLLATE "C",
    PRIMARY KEY (shard, account, seq),
    CONSTRAINT entries_floor CHECK (floor IS NULL OR balance_after - held_after >= floor),
    CONSTRAINT entries_ceiling CHECK (ceiling IS NULL OR balance_after <= ceiling)
);

CREATE UNIQUE INDEX entries_key ON entries (shard, account, key) WHERE key IS NOT NULL;
CREATE INDEX entries_subject ON entries (subject_shard, subject, subject_seq)
    WHERE subject IS NOT NULL;
CREATE INDEX entries_reverses ON entries (shard, account, reverses) WHERE reverses IS NOT NULL;

-- Follows from the entries: what finds the open holds of an account, and the due ones, by a seek.
CREATE TABLE holds (
    shard      smallint NOT NULL,
    account    text COLLATE "C" NOT NULL,
    opened_seq bigint   NOT NULL,  -- of the entry that opened it
    amount     bigint   NOT NULL,
    committed  bigint   NOT NULL,
    status     smallint NOT NULL,  -- 1 open, 2 committed, 3 voided, 4 expired
    expires_at timestamptz NOT NULL,
    closed_seq bigint,
    PRIMARY KEY (shard, account, opened_seq)
);

CREATE INDEX holds_open ON holds (shard, account, expires_at) WHERE status = 1;

CREATE TABLE refusals (
    shard       smallint NOT NULL,
    subject     text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    fingerprint bytea    NOT NULL,
    format      smallint NOT NULL,
    code        smallint NOT NULL,
    at_account  text COLLATE "C",
    n1          bigint   NOT NULL,
    n2          bigint   NOT NULL,
    n3          bigint   NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (shard, subject, key),
    CONSTRAINT refusals_form CHECK ((
        length(fingerprint) = 16 AND format >= 1 AND code BETWEEN 300 AND 499
        AND length(key) BETWEEN 1 AND 128 AND key !~ '[^]!#-[^-~]'
        AND recorded_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'
        ) IS TRUE)
);

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
  LEFT JOIN LATERAL (
       SELECT * FROM entries e WHERE e.shard = a.shard AND e.account = a.id
        ORDER BY e.seq DESC LIMIT 1) e ON true;

-- What never happens ------------------------------------------------------------------------------

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'passbook guard: %', TG_ARGV[0]
        USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER entries_stay BEFORE UPDATE ON entries FOR EACH ROW
    EXECUTE FUNCTION refuse('an entry never changes');
CREATE TRIGGER entries_remain BEFORE DELETE ON entries FOR EACH ROW
    EXECUTE FUNCTION refuse('an entry is never deleted');
CREATE TRIGGER entries_truncate BEFORE TRUNCATE ON entries
    EXECUTE FUNCTION refuse('an entry is never deleted');

CREATE TRIGGER holds_remain BEFORE DELETE ON holds FOR EACH ROW
    EXECUTE FUNCTION refuse('a hold is never deleted');
CREATE TRIGGER holds_truncate BEFORE TRUNCATE ON holds
    EXECUTE FUNCTION refuse('a hold is never deleted');

CREATE TRIGGER accounts_stay BEFORE UPDATE ON accounts FOR EACH ROW
    WHEN ((NEW.shard, NEW.id, NEW.asset, NEW.opened_at, NEW.opening_floor, NEW.opening_ceiling)
          IS DISTINCT FROM
          (OLD.shard, OLD.id, OLD.asset, OLD.opened_at, OLD.opening_floor, OLD.opening_ceiling))
    EXECUTE FUNCTION refuse('nothing of an account changes in place but its metadata');
CREATE TRIGGER accounts_remain BEFORE DELETE ON accounts FOR EACH ROW
    EXECUTE FUNCTION refuse('an account is never deleted');
CREATE TRIGGER accounts_truncate BEFORE TRUNCATE ON accounts
    EXECUTE FUNCTION refuse('an account is never deleted');

CREATE TRIGGER assets_define BEFORE INSERT ON assets FOR EACH ROW WHEN (NEW.used)
    EXECUTE FUNCTION refuse('an asset is used from its first account on, not before');
CREATE TRIGGER assets_stay BEFORE UPDATE ON assets FOR EACH ROW
    WHEN (NEW.code <> OLD.code OR OLD.used AND NOT NEW.used)
    EXECUTE FUNCTION refuse('the code of an asset never changes, nor that it is used');
CREATE TRIGGER assets_redefine BEFORE UPDATE ON assets FOR EACH ROW
    WHEN (OLD.used AND (NEW.scale <> OLD.scale OR NEW.balanced <> OLD.balanced))
    EXECUTE FUNCTION refuse('scale and balanced of an asset in use never change');
CREATE TRIGGER assets_remain BEFORE DELETE ON assets FOR EACH ROW
    EXECUTE FUNCTION refuse('an asset is never deleted');
CREATE TRIGGER assets_truncate BEFORE TRUNCATE ON assets
    EXECUTE FUNCTION refuse('an asset is never deleted');

-- A refusal may go when it is old: a key that late a client no longer repeats.
CREATE TRIGGER refusals_stay BEFORE UPDATE ON refusals FOR EACH ROW
    EXECUTE FUNCTION refuse('a refusal never changes');
CREATE TRIGGER refusals_remain BEFORE DELETE ON refusals FOR EACH ROW
    WHEN (OLD.recorded_at > clock_timestamp() - interval '720 hours')
    EXECUTE FUNCTION refuse('a refusal is kept for 30 days at least');
CREATE TRIGGER refusals_truncate BEFORE TRUNCATE ON refusals
    EXECUTE FUNCTION refuse('a refusal is kept for 30 days at least');

CREATE TRIGGER format_upgrade BEFORE UPDATE ON format FOR EACH ROW
    WHEN (NEW.shards <> OLD.shards OR NEW.hash <> OLD.hash
          OR NEW.version < OLD.version OR NEW.min_version < OLD.min_version)
    EXECUTE FUNCTION refuse('a store is upgraded, and nothing else of its format changes');
CREATE TRIGGER format_remain BEFORE DELETE ON format FOR EACH ROW
    EXECUTE FUNCTION refuse('the format of a store is never deleted');
CREATE TRIGGER format_truncate BEFORE TRUNCATE ON format
    EXECUTE FUNCTION refuse('the format of a store is never deleted');

-- Accounts ----------------------------------------------------------------------------------------

-- An asset is never deleted, so one that is seen stays, and no lock is needed.
CREATE FUNCTION accounts_open() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM arrivals n
                WHERE NOT EXISTS (SELECT 1 FROM assets WHERE code = n.asset)) THEN
        RAISE EXCEPTION 'passbook guard: the asset of the account does not exist'
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
    END IF;
    UPDATE assets SET used = true
     WHERE NOT used AND code IN (SELECT asset FROM arrivals);
    RETURN NULL;
END $$;

CREATE TRIGGER accounts_open AFTER INSERT ON accounts
    REFERENCING NEW TABLE AS arrivals EXECUTE FUNCTION accounts_open();

-- Entries: what goes in ---------------------------------------------------------------------------

-- On the path of every write, once per statement.
CREATE FUNCTION entries_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
    bad record;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'passbook guard: a store is written at READ COMMITTED alone'
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
    END IF;

    -- A refusal under the same key can be on its way: whoever writes either holds the account.
    PERFORM 1
       FROM (SELECT DISTINCT ON (shard, account) shard, account FROM arrivals
              WHERE key IS NOT NULL ORDER BY shard, account) n,
            LATERAL (SELECT 1 FROM accounts WHERE shard = n.shard AND id = n.account
                        FOR NO KEY UPDATE) locked;

    -- To begin the check below takes longer than a few rows do. Most statements are grants and
    -- spends alone that this one finds right. It may be stricter than the one below, never laxer.
    -- What it leaves out, the entry before has been held to. Ranges first: no sum can overflow.
    PERFORM 1 FROM arrivals n
     WHERE (SELECT n.amount BETWEEN -9007199254740991 AND 9007199254740991
               AND n.balance_after BETWEEN -9007199254740991 AND 9007199254740991
               AND n.kind IN (1, 2)
               AND n.amount <> 0
               AND (n.kind = 1) = (n.amount > 0)
               AND n.held_change = 0
               AND n.held_after = p.held_after
               AND n.balance_after - n.amount = p.balance_after
               AND n.balance_after + 9007199254740991 >= n.held_after
               AND n.status = 1
               AND p.status = 1
               AND n.floor IS NOT DISTINCT FROM p.floor
               AND n.ceiling IS NOT DISTINCT FROM p.ceiling
               AND n.recorded_at BETWEEN p.recorded_at AND '9999-12-31 23:59:59.999999+00'
               AND (n.effective_at, n.subject_shard, n.subject, n.subject_seq, n.target,
                    n.reverses, n.expires_at) IS NULL
               AND n.format >= 1
               AND length(n.fingerprint) = 16
               AND length(n.key) BETWEEN 1 AND 128
               AND n.key !~ '[^]!#-[^-~]'
              FROM entries p
             WHERE n.seq > 1 AND p.shard = n.shard AND p.account = n.account AND p.seq = n.seq - 1
           ) IS NOT TRUE
        OR (SELECT 1 FROM refusals r
             WHERE r.shard = n.shard AND r.subject = n.account AND r.key = n.key) IS NOT NULL
        OR (SELECT 1 FROM entries l
             WHERE l.subject_shard = n.shard AND l.subject = n.account AND l.subject_seq = n.seq
             LIMIT 1) IS NOT NULL
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;

    SELECT n.* INTO bad FROM (
    SELECT n.account, n.seq, coalesce(CASE
           WHEN CASE
                WHEN n.kind IN (1, 2) THEN n.held_change = 0 AND n.key IS NOT NULL
                     AND CASE n.kind WHEN 1 THEN n.amount > 0 ELSE n.amount < 0 END
                     AND (n.subject, n.target, n.reverses, n.expires_at) IS NULL
                WHEN n.kind IN (3, 4) THEN n.amount <> 0 AND n.held_change = 0
                     AND (n.key IS NULL) <> (n.subject IS NULL)
                     AND (n.target, n.reverses, n.expires_at) IS NULL
                WHEN n.kind = 5 THEN n.held_change = 0 AND n.expires_at IS NULL
                     AND (n.key IS NULL) <> (n.subject IS NULL)
                     AND n.target >= 1 AND (n.reverses IS NULL) = (n.amount = 0)
                     AND (n.reverses IS NULL OR n.reverses < n.seq)
                     AND (n.amount <> 0 OR n.key IS NOT NULL)
                WHEN n.kind = 6 THEN n.amount = 0 AND n.held_change > 0 AND n.key IS NOT NULL
                     AND n.expires_at > n.recorded_at
                     AND (n.subject, n.target, n.reverses) IS NULL
                WHEN n.kind = 7 AND n.subject IS NULL THEN n.amount < 0
                     AND n.held_change <= n.amount AND n.key IS NOT NULL
                     AND n.target IS NOT NULL AND (n.reverses, n.expires_at) IS NULL
                WHEN n.kind = 7 THEN n.amount > 0 AND n.held_change = 0 AND n.key IS NULL
                     AND n.target >= 1 AND (n.reverses, n.expires_at) IS NULL
                WHEN n.kind IN (8, 9) THEN n.amount = 0 AND n.held_change < 0
                     AND n.target IS NOT NULL AND (n.key IS NULL) = (n.kind = 9)
                     AND (n.subject, n.reverses, n.expires_at) IS NULL
                WHEN n.kind BETWEEN 10 AND 13 THEN n.amount = 0 AND n.held_change = 0
                     AND (n.subject, n.target, n.reverses, n.expires_at) IS NULL
                     AND (n.kind < 13 OR n.key IS NULL)
                END IS NOT TRUE THEN 'the fields do not fit the kind of entry'
           WHEN CASE WHEN n.subject IS NULL THEN (n.subject_shard, n.subject_seq) IS NULL
                ELSE n.subject_shard = get_byte(sha256(convert_to(n.subject, 'UTF8')), 0)
                     AND n.subject_seq >= 1 AND n.subject <> n.account
                END IS NOT TRUE THEN 'the subject is not of its form'
           WHEN CASE WHEN n.key IS NULL THEN (n.fingerprint, n.format) IS NULL
                ELSE length(n.fingerprint) = 16 AND n.format >= 1
                     AND length(n.key) BETWEEN 1 AND 128 AND n.key !~ '[^]!#-[^-~]'
                END IS NOT TRUE THEN 'key, fingerprint or format is not of its form'
           WHEN (n.seq >= 1
                AND n.amount BETWEEN -9007199254740991 AND 9007199254740991
                AND n.held_change BETWEEN -9007199254740991 AND 9007199254740991
                AND n.balance_after BETWEEN -9007199254740991 AND 9007199254740991
                AND n.held_after BETWEEN 0 AND 9007199254740991
                AND n.balance_after - n.held_after >= -9007199254740991
                AND coalesce(n.floor, 0) BETWEEN -9007199254740991 AND 9007199254740991
                AND coalesce(n.ceiling, 0) BETWEEN -9007199254740991 AND 9007199254740991
                AND least(n.recorded_at, n.effective_at) >= '0001-01-01 00:00:00+00'
                AND greatest(n.recorded_at, n.effective_at, n.expires_at)
                    <= '9999-12-31 23:59:59.999999+00'
                ) IS NOT TRUE THEN
               'an amount, balance, limit or time is out of range'
           WHEN n.kind = 12 AND (n.balance_after <> 0 OR n.held_after <> 0) THEN
               'an account closes only with balance and held at 0'
           WHEN p.balance IS NULL AND n.seq > 1 THEN 'seq is not the next of its account'
           WHEN p.balance IS NULL THEN 'the account does not exist'
           WHEN p.balance + n.amount <> n.balance_after THEN
               'balance_after is not the balance before plus amount'
           WHEN p.held + n.held_change <> n.held_after THEN
               'held_after is not what was held before plus held_change'
           WHEN p.recorded_at > n.recorded_at THEN
               'recorded_at is before the last entry or the opening of the account'
           WHEN p.status = 3 THEN 'the account is closed'
           WHEN p.status = 2 AND n.kind < 8 THEN 'the account is frozen'
           WHEN n.status <> CASE n.kind WHEN 10 THEN 2 WHEN 11 THEN 1 WHEN 12 THEN 3
                                        ELSE p.status END THEN
               'status does not follow from the kind of entry'
           WHEN n.kind <> 13 AND (n.floor IS DISTINCT FROM p.floor
                                  OR n.ceiling IS DISTINCT FROM p.ceiling) THEN
               'only an entry of kind limits changes floor and ceiling' END, CASE
           WHEN n.key IS NOT NULL THEN (
               SELECT 'the key already stands for a refusal of this account' FROM refusals r
                WHERE r.shard = n.shard AND r.subject = n.account AND r.key = n.key) END, (
               SELECT 'an entry that names this one is of another transaction' FROM entries l
                WHERE l.subject_shard = n.shard AND l.subject = n.account AND l.subject_seq = n.seq
                  AND (l.kind = n.kind AND l.recorded_at = n.recorded_at
                       AND l.target IS NOT DISTINCT FROM n.target
                       AND n.key IS NOT NULL) IS NOT TRUE LIMIT 1)) AS fault
      FROM arrivals n LEFT JOIN LATERAL (
           SELECT p.balance_after, p.held_after, p.recorded_at, p.status, p.floor, p.ceiling
             FROM entries p
            WHERE n.seq > 1 AND p.shard = n.shard AND p.account = n.account AND p.seq = n.seq - 1
           UNION ALL
           SELECT 0, 0, a.opened_at, 1, a.opening_floor, a.opening_ceiling
             FROM accounts a
            WHERE n.seq = 1 AND a.shard = n.shard AND a.id = n.account
           OFFSET 0) p (balance, held, recorded_at, status, floor, ceiling) ON true
     OFFSET 0) n
     WHERE n.fault IS NOT NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'passbook guard: %', bad.fault
            USING ERRCODE = CASE WHEN bad.fault LIKE 'the key already stands for %'
                                 THEN 'PB002' ELSE 'PB001' END,
                  TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
                  DETAIL = format('Entry %s of account %s.', bad.seq, bad.account);
    END IF;
    RETURN NULL;
END $$;

-- The entries of a transaction on other accounts name the subject's. Whichever of the two comes
-- second is held to the first, for a rebuilt store takes account after account. That the other
-- never comes is for the reconciliation to find.
CREATE FUNCTION entries_link() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
    fault text;
BEGIN
    -- What names an entry that is not there yet must not miss one that is on its way in another
    -- session: it waits for all that write, and all wait for it. Where the entries of a transaction
    -- come in one statement, or the subject's first, nothing of the kind happens.
    IF NEW.subject IS NOT NULL AND (
       SELECT 1 FROM entries s WHERE s.shard = NEW.subject_shard AND s.account = NEW.subject
          AND s.seq = NEW.subject_seq) IS NULL THEN
        LOCK TABLE entries IN SHARE ROW EXCLUSIVE MODE;
    END IF;
    -- Nor may a reversal miss another one.
    IF NEW.reverses IS NOT NULL THEN
        PERFORM 1 FROM accounts WHERE shard = NEW.shard AND id = NEW.account FOR NO KEY UPDATE;
    END IF;

    SELECT CASE
           WHEN s.seq IS NOT NULL AND (s.kind = NEW.kind AND s.recorded_at = NEW.recorded_at
                                       AND s.target IS NOT DISTINCT FROM NEW.target
                                       AND s.key IS NOT NULL) IS NOT TRUE THEN
               'subject names no entry of this transaction that carries a key'
           WHEN NEW.kind = 5 AND NEW.subject IS NULL AND (NEW.target < NEW.seq AND (
               SELECT t.kind BETWEEN 1 AND 4 AND t.key IS NOT NULL FROM entries t
                WHERE t.shard = NEW.shard AND t.account = NEW.account AND t.seq = NEW.target)
               ) IS NOT TRUE THEN
               'target names no transaction of this account that can be reversed'
           WHEN NEW.reverses IS NULL THEN NULL
           WHEN (o.kind BETWEEN 1 AND 4
                 AND coalesce(o.subject_shard, o.shard) = coalesce(NEW.subject_shard, NEW.shard)
                 AND coalesce(o.subject, o.account) = coalesce(NEW.subject, NEW.account)
                 AND coalesce(o.subject_seq, o.seq) = NEW.target) IS NOT TRUE THEN
               'reverses names no entry of the transaction that is reversed'
           WHEN (sign(NEW.amount) = -sign(o.amount) AND (
                 SELECT abs(sum(r.amount)) FROM entries r
                  WHERE r.shard = NEW.shard AND r.account = NEW.account
                    AND r.reverses = NEW.reverses) <= abs(o.amount)) IS NOT TRUE THEN
               'reversals have the opposite sign and together never exceed the entry'
           END INTO fault
      FROM (SELECT 1) one LEFT JOIN LATERAL (
           SELECT * FROM entries s
            WHERE s.shard = NEW.subject_shard AND s.account = NEW.subject
              AND s.seq = NEW.subject_seq
           OFFSET 0) s ON true LEFT JOIN LATERAL (
           SELECT * FROM entries o
            WHERE o.shard = NEW.shard AND o.account = NEW.account AND o.seq = NEW.reverses
           OFFSET 0) o ON true;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION 'passbook guard: %', fault
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
                  DETAIL = format('Entry %s of account %s.', NEW.seq, NEW.account);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION entries_hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
    IF NEW.kind = 6 THEN
        INSERT INTO holds (shard, account, opened_seq, amount, committed, status, expires_at)
        VALUES (NEW.shard, NEW.account, NEW.seq, NEW.held_change, 0, 1, NEW.expires_at);
        RETURN NULL;
    END IF;
    -- Open by closed_seq, or the index of open holds could be asked for all of the account.
    UPDATE holds
       SET status = NEW.kind - 5, committed = -NEW.amount, closed_seq = NEW.seq
     WHERE shard = NEW.shard AND account = NEW.account AND opened_seq = NEW.target
       AND opened_seq < NEW.seq AND closed_seq IS NULL AND amount = -NEW.held_change
       AND (NEW.kind <> 9 OR expires_at <= NEW.recorded_at);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'passbook guard: target names no open hold of this account and '
                        'amount, or none that is due'
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
                  DETAIL = format('Entry %s of account %s.', NEW.seq, NEW.account);
    END IF;
    RETURN NULL;
END $$;

-- The first is for every entry, once per statement. The others are for few, one by one, in the
-- order of insertion, and behind all rows of the statement.
CREATE TRIGGER entries_follow AFTER INSERT ON entries
    REFERENCING NEW TABLE AS arrivals EXECUTE FUNCTION entries_follow();
CREATE TRIGGER entries_hold AFTER INSERT ON entries FOR EACH ROW
    WHEN (NEW.kind BETWEEN 6 AND 9 AND NEW.subject IS NULL) EXECUTE FUNCTION entries_hold();
CREATE TRIGGER entries_link AFTER INSERT ON entries FOR EACH ROW
    WHEN (NEW.kind = 5 OR NEW.subject IS NOT NULL) EXECUTE FUNCTION entries_link();

-- Holds -------------------------------------------------------------------------------------------

-- Only entries_hold gets through: the entry it acts for is there, and the hold not yet as it says.
CREATE FUNCTION holds_open() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF (NEW.status = 1 AND NEW.committed = 0 AND NEW.closed_seq IS NULL AND EXISTS (
        SELECT 1 FROM entries
         WHERE shard = NEW.shard AND account = NEW.account AND seq = NEW.opened_seq
           AND kind = 6 AND held_change = NEW.amount
           AND expires_at = NEW.expires_at)) IS NOT TRUE THEN
        RAISE EXCEPTION 'passbook guard: a hold is opened by an entry of kind hold alone'
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION holds_close() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF (OLD.status = 1 AND NEW.shard = OLD.shard AND NEW.account = OLD.account
        AND NEW.opened_seq = OLD.opened_seq AND NEW.amount = OLD.amount
        AND NEW.expires_at = OLD.expires_at AND EXISTS (
        SELECT 1 FROM entries
         WHERE shard = OLD.shard AND account = OLD.account AND seq = NEW.closed_seq
           AND kind = NEW.status + 5 AND target = OLD.opened_seq
           AND amount = -NEW.committed AND held_change = -OLD.amount)) IS NOT TRUE THEN
        RAISE EXCEPTION 'passbook guard: a hold is closed by an entry that names it alone'
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER holds_open BEFORE INSERT ON holds FOR EACH ROW EXECUTE FUNCTION holds_open();
CREATE TRIGGER holds_close BEFORE UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION holds_close();

-- Refusals ----------------------------------------------------------------------------------------

CREATE FUNCTION refusals_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, passbook, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
    bad record;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'passbook guard: a store is written at READ COMMITTED alone'
            USING ERRCODE = 'PB001', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
    END IF;

    PERFORM 1
       FROM (SELECT DISTINCT ON (shard, subject) shard, subject FROM arrivals
              ORDER BY shard, subject) n,
            LATERAL (SELECT 1 FROM accounts WHERE shard = n.shard AND id = n.subject
                        FOR NO KEY UPDATE) locked;

    SELECT n.* INTO bad FROM (
    SELECT n.subject, n.key, CASE
           WHEN (SELECT 1 FROM accounts
                  WHERE shard = n.shard AND id = n.subject) IS NULL THEN
               'the subject of the refusal does not exist'
           WHEN (SELECT 1 FROM entries
                  WHERE shard = n.shard AND account = n.subject AND key = n.key) IS NOT NULL THEN
               'the key already stands for an entry of this account'
           END AS fault
      FROM arrivals n OFFSET 0) n
     WHERE n.fault IS NOT NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'passbook guard: %', bad.fault
            USING ERRCODE = CASE WHEN bad.fault LIKE 'the key already stands for %'
                                 THEN 'PB002' ELSE 'PB001' END,
                  TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME,
                  DETAIL = format('Key %s of account %s.', bad.key, bad.subject);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER refusals_keep AFTER INSERT ON refusals
    REFERENCING NEW TABLE AS arrivals EXECUTE FUNCTION refusals_keep();

-- As a replica a session fires no others than these. Nobody calls a guard but its trigger.
DO $$
DECLARE
    guard record;
BEGIN
    FOR guard IN SELECT tgrelid::regclass AS place, tgname AS name FROM pg_trigger
                  WHERE NOT tgisinternal AND tgfoid IN (
                        SELECT oid FROM pg_proc WHERE pronamespace = 'passbook'::regnamespace) LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.place, guard.name);
    END LOOP;
END $$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA passbook FROM PUBLIC;
