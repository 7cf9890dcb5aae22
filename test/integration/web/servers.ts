import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "vitest";
import type { AcceptedTypes } from "../../../runtime/web/send-request.ts";
import { createWebClient, type FetchLimits, type FetchResult, type WebClientDeps } from "../../../runtime/web/web.ts";
import { type Listener, startHttpsServer, startSilentServer, type TestHttpsServer, testCertificate } from "../../support/https-server.ts";

const json: AcceptedTypes = {
  header: "application/json",
  description: "JSON",
  includes: (type) => ["", "application/json"].includes(type),
};
/** The default request limits, with changes. */
export const limitsOf = (changes: Partial<FetchLimits> = {}): FetchLimits => ({
  timeoutMilliseconds: 5_000,
  maxBytes: 1_000,
  acceptedTypes: json,
  signal: new AbortController().signal,
  ...changes,
});
/** The code of a refusal, or the fetched document. */
export const codeOf = (fetched: FetchResult): string => (fetched.ok ? `fetched: ${fetched.body}` : fetched.refusal.code);
/** The message of a refusal; empty if the document was fetched. */
export const messageOf = (fetched: FetchResult): string => (fetched.ok ? "" : fetched.refusal.message);
/** Whether a refusal is permanent; null if the document was fetched. */
export const isPermanent = (fetched: FetchResult): boolean | null => (fetched.ok ? null : fetched.refusal.isPermanent);
/** Sends a JSON document. */
export const sendJson = (response: ServerResponse, body = '{"name":"A"}'): void => {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(body);
};

/** How the untrusted server responds in the current test. */
export const untrusted: { respond: (request: IncomingMessage, response: ServerResponse) => void } = {
  respond: (_, response) => sendJson(response),
};
/** A public server that serves documents. */
export let untrustedServer: TestHttpsServer;
/** An internal server that no request may reach. */
export let internalServer: Listener;

/** Dependencies that resolve only these names. The internal server's port is accepted, so that only the address check protects it. */
export const dependenciesOf = (names: Readonly<Record<string, readonly string[]>> = {}): WebClientDeps => ({
  resolve: async (hostname) => names[hostname] ?? (hostname.endsWith("documents.example") ? ["127.0.0.1"] : []),
  // The test server listens on the loopback address; only its own names may resolve to it.
  isExempt: (address, hostname) => address === "127.0.0.1" && hostname.endsWith("documents.example"),
  ports: ["443", String(untrustedServer.port), String(internalServer.port)],
  certificates: [testCertificate],
});
/** A URL on the untrusted server. */
export const urlOf = (path: string): string => `https://documents.example:${untrustedServer.port}${path}`;
export const fetchWith = (url: string, changes?: Partial<FetchLimits>, dependencies = dependenciesOf()) =>
  createWebClient(dependencies).fetch(url, limitsOf(changes));

export const setUp = async () => {
  untrustedServer = await startHttpsServer((request, response) => untrusted.respond(request, response));
  internalServer = await startSilentServer();
};

export const tearDown = async () => {
  await untrustedServer.close();
  await internalServer.close();
};

/** Makes the untrusted server respond with a document. */
export const setUpTest = () => {
  untrusted.respond = (_, response) => sendJson(response);
};

/** Checks that no request reached the internal server. */
export const tearDownTest = () => {
  expect(internalServer.connections).toBe(0);
};
