import { randomUUID } from "node:crypto";
import { redact } from "./redact.ts";

const saneToken = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** A request's id: the one it came with where that is a plain token and no secret, else a new one. */
export function requestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === "string" && saneToken.test(sent) && redact(sent) === sent ? sent : randomUUID();
}
