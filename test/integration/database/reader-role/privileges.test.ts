import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readerPrivilegeProblem } from "../../../../runtime/database/reader/reader-privileges.ts";
import {
  closeAll,
  insufficientPrivilege,
  openReaders,
  outcome,
  reader,
  readOnlySqlTransaction,
  sharedServerReader,
  testDatabase,
} from "./databases.ts";

/** SQLSTATE query_canceled, raised by the statement timeout. */
const canceled = "57014";
/** SQLSTATE configuration_limit_exceeded. */
const tooManyFiles = "53400";
/** Statements with their outcomes on Ashlar's own server and, where it differs, on a server that other applications also use. */
const expectations = (rows: readonly (readonly [statement: string, onOwnServer: string, onSharedServer?: string])[]) =>
  rows.map(([statement, onOwnServer, onSharedServer = onOwnServer]) => ({ statement, onOwnServer, onSharedServer }));

afterAll(closeAll);
beforeAll(openReaders);

describe("the reader role", () => {
  it("reads the schema api", async () => {
    expect(await outcome(reader, "SELECT count(*) FROM api.blocks")).toBe("ok");
    expect(await outcome(reader, "SELECT * FROM api.balances_at(1, 5), api.prices_at(1, 5)")).toBe("ok");
    expect(await readerPrivilegeProblem(reader)).toBeNull();
  });

  it.each(
    expectations([
      ["INSERT INTO public.blocks (chain_id) VALUES (1)", readOnlySqlTransaction],
      ["UPDATE api.blocks SET number = 0", insufficientPrivilege],
      ["DELETE FROM api.blocks", insufficientPrivilege],
      ["TRUNCATE public.blocks", readOnlySqlTransaction],
      ["WITH gone AS (DELETE FROM public.api_keys RETURNING 1) SELECT * FROM gone", readOnlySqlTransaction],
      ["SELECT * INTO stolen FROM api.blocks", readOnlySqlTransaction],
      ["CREATE TABLE api.mine (a int)", readOnlySqlTransaction],
      ["CREATE TEMP TABLE mine (a int)", readOnlySqlTransaction],
      ["CREATE FUNCTION api.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", readOnlySqlTransaction],
      ["DO $$ BEGIN PERFORM pg_read_file('/etc/passwd'); END $$", insufficientPrivilege],
      ["SELECT * FROM public.api_keys", insufficientPrivilege],
      ["SELECT * FROM public.community_reader", insufficientPrivilege],
      ["SELECT * FROM public.blocks", insufficientPrivilege],
      ["SELECT rolpassword FROM pg_authid", insufficientPrivilege],
      ["SELECT passwd FROM pg_shadow", insufficientPrivilege],
      ["SET ROLE ashlar", insufficientPrivilege],
      ["SET SESSION AUTHORIZATION ashlar", insufficientPrivilege],
      ["ALTER ROLE CURRENT_USER CREATEROLE", readOnlySqlTransaction],
      ["GRANT SELECT ON api.blocks TO PUBLIC", readOnlySqlTransaction],
      ["SELECT pg_read_file('/etc/passwd')", insufficientPrivilege],
      ["SELECT pg_ls_dir('/')", insufficientPrivilege],
      ["SELECT lo_create(0)", insufficientPrivilege, readOnlySqlTransaction],
      ["SELECT lo_import('/etc/passwd')", insufficientPrivilege],
      ["SELECT lo_export(1, '/tmp/file')", insufficientPrivilege],
      ["COPY (SELECT 1) TO PROGRAM 'id'", insufficientPrivilege],
      ["COPY (SELECT 1) TO '/tmp/file'", insufficientPrivilege],
      ["COPY public.blocks FROM '/etc/passwd'", insufficientPrivilege],
      ["CREATE EXTENSION dblink", readOnlySqlTransaction],
      ["SELECT dblink('host=127.0.0.1', 'SELECT 1')", "42883"],
      ["SELECT query_to_xml('SELECT * FROM public.api_keys', true, false, '')", insufficientPrivilege],
      ["SELECT 1; DROP TABLE public.blocks", readOnlySqlTransaction],
      ["SELECT set_config('role', 'ashlar', false)", insufficientPrivilege],
      ["SELECT pg_reload_conf()", insufficientPrivilege],
      ["SELECT pg_switch_wal()", insufficientPrivilege],
      ["SELECT pg_create_logical_replication_slot('s', 'pgoutput')", insufficientPrivilege],
      ["SELECT 1; LOCK TABLE public.blocks IN ACCESS EXCLUSIVE MODE", insufficientPrivilege],
      ["VACUUM FULL pg_class; SELECT 1", "25001"],
      // The following statements can only cause load or affect connections with the same role. The check of declared SQL refuses all of these functions.
      ["SELECT set_config('statement_timeout', '0', true)", insufficientPrivilege, "ok"],
      ["SELECT pg_sleep(0)", insufficientPrivilege, "ok"],
      ["SELECT ts_stat('SELECT to_tsvector(''simple'', ''a'')')", insufficientPrivilege, "ok"],
      ["SELECT pg_notify('channel', 'text')", insufficientPrivilege, "ok"],
      // The lock is held until the connection ends.
      ["SELECT pg_advisory_lock(1)", insufficientPrivilege, "ok"],
      ["SELECT pg_cancel_backend(0)", insufficientPrivilege, "ok"],
      ["SELECT pg_logical_emit_message(false, 'a', 'text')", insufficientPrivilege, "ok"],
    ]),
  )("cannot run $statement on Ashlar's own server", async ({ statement, onOwnServer, onSharedServer }) => {
    expect([await outcome(reader, statement), await outcome(sharedServerReader, statement)]).toEqual([onOwnServer, onSharedServer]);
  });

  it.each(
    expectations([
      ["INSERT INTO public.blocks (chain_id) VALUES (1)", insufficientPrivilege],
      ["UPDATE api.blocks SET number = 0", insufficientPrivilege],
      ["DELETE FROM api.blocks", insufficientPrivilege],
      ["TRUNCATE public.blocks", insufficientPrivilege],
      ["DROP TABLE public.blocks", insufficientPrivilege],
      ["CREATE TABLE api.mine (a int)", insufficientPrivilege],
      ["CREATE TABLE public.mine (a int)", insufficientPrivilege],
      ["CREATE SCHEMA mine", insufficientPrivilege],
      ["CREATE FUNCTION api.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", insufficientPrivilege],
      ["CREATE EXTENSION dblink", insufficientPrivilege],
      ["ALTER ROLE CURRENT_USER CREATEROLE", insufficientPrivilege],
      // Temporary tables are dropped when the connection ends.
      ["CREATE TEMP TABLE mine (a int)", insufficientPrivilege, "ok"],
      ["SELECT lo_create(0)", insufficientPrivilege, "ok"],
    ]),
  )("lacks the privilege for $statement, even in a read-write transaction", async ({ statement, onOwnServer, onSharedServer }) => {
    const outcomes = [reader, sharedServerReader].map((database) =>
      database.transaction(async (client) => {
        await client.query("SET TRANSACTION READ WRITE");
        return outcome(client, statement);
      }),
    );
    expect(await Promise.all(outcomes)).toEqual([onOwnServer, onSharedServer]);
  });

  it("cannot end other roles' connections", async () => {
    const [{ pid } = { pid: 0 }] = await testDatabase.database.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    expect(await outcome(reader, `SELECT pg_terminate_backend(${pid})`)).toBe(insufficientPrivilege);
    expect(await outcome(sharedServerReader, `SELECT pg_terminate_backend(${pid})`)).toBe(insufficientPrivilege);
  });

  it.each([
    ["sleeps", "SELECT pg_sleep(60)"],
    ["recursion", "WITH RECURSIVE bomb(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM bomb) SELECT count(*) FROM bomb"],
    ["products", "SELECT count(*) FROM generate_series(1, 10000000) a, generate_series(1, 1000) b"],
  ])("is stopped by its statement timeout or its limit on temporary files: %s", async (_, statement) => {
    const started = performance.now();
    expect([canceled, tooManyFiles]).toContain(await outcome(sharedServerReader, statement));
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("cannot exceed its limit on temporary files", async () => {
    // 20 million rows of 60 bytes are 1.2 GB. On a slow machine, the timeout ends the statement first.
    const sort = "SELECT count(*) FROM (SELECT repeat(n::text, 8) AS t FROM generate_series(1, 20000000) n ORDER BY 1 OFFSET 1) s";
    expect([tooManyFiles, canceled]).toContain(await outcome(reader, sort));
  });

  it("cannot extend a running statement's timeout", async () => {
    expect(await outcome(sharedServerReader, "SELECT set_config('statement_timeout', '0', true), pg_sleep(60)")).toBe(canceled);
  });
});
