import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../runtime/config/parse-config.ts";
import { secretsOf } from "../../../runtime/database/errors.ts";
import { selectsPrimary, serversOf } from "../../../runtime/database/hosts/servers-of.ts";
import { withAccount, withDatabase } from "../../../runtime/database/with-account.ts";

const twoHosts = "postgresql://u:p%40,q@one:5432,[::1]:5433/db?sslmode=require&target_session_attrs=read-write";

describe("serversOf", () => {
  it.each([
    ["postgresql://u:p@one:5432/db?sslmode=require", false, ["postgresql://u:p@one:5432/db?sslmode=require"]],
    ["postgresql://u:a,b@one/db", false, ["postgresql://u:a,b@one/db"]],
    ["postgresql:///db?host=/run/postgresql", false, ["postgresql:///db?host=/run/postgresql"]],
    ["socket:///run/postgresql?db=a,b", false, ["socket:///run/postgresql?db=a,b"]],
    [twoHosts, true, ["postgresql://u:p%40,q@one:5432/db?sslmode=require", "postgresql://u:p%40,q@[::1]:5433/db?sslmode=require"]],
    ["postgres://one,two:5433", true, ["postgres://one", "postgres://two:5433"]],
    ["postgresql://u@one/db?target_session_attrs=primary", true, ["postgresql://u@one/db"]],
  ])("parses %s", (url, mustBePrimary, urls) => {
    expect(serversOf(url)).toEqual({ urls, mustBePrimary });
  });
});

describe("a URL with several hosts", () => {
  it("accepts another account and another database", () => {
    expect(withAccount(twoHosts, { user: "reader", password: "secret", database: "db" })).toBe(
      "postgresql://reader:secret@one:5432,[::1]:5433/db?sslmode=require&target_session_attrs=read-write",
    );
    expect(withDatabase(twoHosts, "other")).toBe(
      "postgresql://u:p%40,q@one:5432,[::1]:5433/other?sslmode=require&target_session_attrs=read-write",
    );
    expect(withDatabase("postgresql:///db?host=/run/postgresql", "other")).toBeNull();
  });

  it("has its password redacted", () => {
    expect(secretsOf(twoHosts)).toEqual(["p%40,q", "p@,q"]);
  });
});

describe("settings", () => {
  const origin = { name: "ashlar.yaml", file: null, overriddenBy: new Map(), selectedChainIndex: null };
  const databaseUrl = "postgresql://u:secret@one,two/db";

  it("accept only a primary as the database", () => {
    expect(
      ["", "?target_session_attrs=read-write", "?target_session_attrs=primary"].map((query) => selectsPrimary(databaseUrl + query)),
    ).toEqual([true, true, true]);
    expect(() => parseConfig({ databaseUrl: `${databaseUrl}?target_session_attrs=any` }, origin)).toThrow(
      /^ashlar.yaml: Invalid value for databaseUrl: expected a URL whose target_session_attrs, if it has one, is read-write or primary.$/,
    );
  });

  it("accept only one host as a replica", () => {
    for (const url of [databaseUrl, "postgresql://one/db?target_session_attrs=any"])
      expect(() => parseConfig({ databaseUrl, readUrls: [url] }, origin)).toThrow(
        /^ashlar.yaml: Invalid value for readUrls.0: expected a URL of one host, without target_session_attrs.$/,
      );
  });
});
