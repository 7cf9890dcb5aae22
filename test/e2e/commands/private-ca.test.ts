import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { beforeAll, describe, expect, it } from "vitest";
import { startTestChain } from "../../support/chain.ts";
import { createCommandRunner } from "../../support/commands/command-line.ts";

let folder: string;
let port: number;
const { runToExit } = createCommandRunner(() => ({ folder, url: "postgres://127.0.0.1:1/none" }));

/** Creates two certificate authorities and a certificate for localhost that the first one issues, with the openssl command. */
const createCertificates = (): void => {
  const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const create = (name: string, ...args: readonly string[]) =>
    openssl(
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", `/CN=${name}`],
      ...["-keyout", `${name}.key`, "-out", `${name}.pem`, ...args],
    );
  create("authority");
  create("other");
  create(
    "localhost",
    ...["-CA", "authority.pem", "-CAkey", "authority.key"],
    ...["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"],
  );
};

/** A TLS proxy in front of a node, because anvil serves plain HTTP only. */
const startTlsProxy = async (target: string): Promise<Server> => {
  const [key, cert] = await Promise.all(["localhost.key", "localhost.pem"].map((name) => readFile(join(folder, name))));
  const server = createServer({ key, cert }, (incoming, response) => {
    request(target, { method: "POST", headers: { "content-type": "application/json" }, body: incoming }).then(
      async (nodeResponse) => response.end(await nodeResponse.body.text()),
      () => response.destroy(),
    );
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-authority-"));
  createCertificates();
  const chain = await startTestChain();
  const server = await startTlsProxy(chain.url);
  port = (server.address() as AddressInfo).port;
  return async () => {
    server.closeAllConnections();
    server.close();
    await chain.stop();
    await rm(folder, { recursive: true });
  };
});

const doctor = (host: string, authority: string | null) =>
  runToExit(
    ["doctor", "--rpc", `https://${host}:${port}`],
    authority === null ? {} : { NODE_EXTRA_CA_CERTS: join(folder, `${authority}.pem`) },
  );

describe("a node with a certificate from a private authority", () => {
  it("is accepted only if NODE_EXTRA_CA_CERTS names the authority and the certificate names the host", async () => {
    const [accepted, unknown, other, misnamed] = await Promise.all([
      doctor("localhost", "authority"),
      doctor("localhost", null),
      doctor("localhost", "other"),
      doctor("127.0.0.1", "authority"),
    ]);
    expect(accepted).toEqual([0, expect.stringContaining("serves chain 31337")]);
    // OpenSSL's codes for a certificate with an unknown issuer (verify(1)). ERR_TLS_CERT_ALTNAME_INVALID is Node's code for a host name mismatch.
    const untrusted = /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY/;
    expect(unknown).toEqual([1, expect.stringMatching(untrusted)]);
    expect(other).toEqual([1, expect.stringMatching(untrusted)]);
    expect(misnamed).toEqual([1, expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID")]);
  });
});
