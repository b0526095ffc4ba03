-- SPDX-License-Identifier: Apache-2.0
-- Three roles for a store in a database of its own, none with more than it needs:
--   owner    runs `passbook migrate` and owns the tables; nobody works as it from day to day
--   server   what `passbook serve` logs in as: it adds rows, and changes no entry whatever it runs
--   reader   looks, for reports and for people
--
-- Run it as a superuser, by psql and in the store's database, twice: before the first
-- `passbook migrate`, which makes the roles, and after it, which gives them their rights. Again
-- after each later one does no harm. The names are yours to choose:
--
--   psql -v owner=passbook_owner -v server=passbook_server -v reader=passbook_reader \
--        -f roles.sql postgresql://postgres@localhost/passbook
--
-- The roles come without a password, and most servers let no such role in: give each its own with
-- psql's \password. The guards do not depend on any of this: they refuse the owner as well.

\set ON_ERROR_STOP on
\if :{?owner}
\else
    \set owner passbook_owner
\endif
\if :{?server}
\else
    \set server passbook_server
\endif
\if :{?reader}
\else
    \set reader passbook_reader
\endif

BEGIN;
SELECT format('CREATE ROLE %I LOGIN', name)
  FROM unnest(ARRAY[:'owner', :'server', :'reader']) name
 WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) \gexec

REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO :"owner", :"server", :"reader";
GRANT CREATE ON DATABASE :"DBNAME" TO :"owner";  -- for the schema that migrate makes

SELECT to_regclass('passbook.format') IS NOT NULL AS is_migrated \gset
\if :is_migrated
    GRANT USAGE ON SCHEMA passbook TO :"server", :"reader";
    GRANT SELECT ON ALL TABLES IN SCHEMA passbook TO :"server", :"reader";
    GRANT INSERT ON passbook.assets, passbook.accounts, passbook.entries, passbook.refusals
        TO :"server";
    GRANT UPDATE (scale, balanced, open_on_first_credit, floor, ceiling) ON passbook.assets
        TO :"server";
    -- The right to one column is also the right to lock the row, which every write does.
    GRANT UPDATE (metadata) ON passbook.accounts TO :"server";
    GRANT INSERT, UPDATE (fence, token, expires_at) ON passbook.leases TO :"server";
    -- Of the old ones, which the guard on refusals sees to.
    GRANT DELETE ON passbook.refusals TO :"server";
\endif
COMMIT;
