import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { scramVerifier } from "../../../runtime/database/scram.ts";
import { withAccount } from "../../../runtime/database/with-account.ts";

describe("scramVerifier", () => {
  it("returns the keys from RFC 7677, section 3", () => {
    const [, salt = "", serverKey = ""] =
      /^SCRAM-SHA-256\$4096:(.*)\$.*:(.*)$/.exec(scramVerifier("pencil", Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64"))) ?? [];
    expect(salt).toBe("W22ZaJ0SNY7soEsUEjb6gQ==");
    const nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    const exchange = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${nonce},s=${salt},i=4096,c=biws,r=${nonce}`;
    const signature = createHmac("sha256", Buffer.from(serverKey, "base64")).update(exchange).digest("base64");
    expect(signature).toBe("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  });
});

describe("withAccount", () => {
  const account = { user: "reader", password: "secret", database: "index" };

  it.each([
    ["postgresql://ashlar:0a1b@127.0.0.1:5433/ashlar", "postgresql://reader:secret@127.0.0.1:5433/ashlar"],
    ["postgres://user:p%40%2Fss%3A@host/name?sslmode=require", "postgres://reader:secret@host/name?sslmode=require"],
    ["postgresql://user:p@ss word%@host:5432/name", "postgresql://reader:secret@host:5432/name"],
    ["postgresql://host", "postgresql://reader:secret@host/index"],
    ["postgresql://user@[::1]:5432/", "postgresql://reader:secret@[::1]:5432/index"],
    ["postgresql:///name?host=/run/postgresql&user=u&password=p", "postgresql://reader:secret@/name?host=/run/postgresql"],
    ["postgresql://user:p@%2Frun%2Fpostgresql/name", "postgresql://reader:secret@%2Frun%2Fpostgresql/name"],
    ["socket://user:p@/run/postgresql?db=name", "socket://reader:secret@/run/postgresql?db=name"],
    ["socket:///run/postgresql", "socket://reader:secret@/run/postgresql?db=index"],
  ])("replaces the account of %s", (url, expected) => {
    expect(withAccount(url, account)).toBe(expected);
  });
});
