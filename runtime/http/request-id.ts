import { randomUUID } from "node:crypto";
import { redact } from "./redact.ts";

const plainToken = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** A request's id: the one that the client sent, if it is a plain token and not a secret, otherwise a new one. */
export function requestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === "string" && plainToken.test(sent) && redact(sent) === sent ? sent : randomUUID();
}
