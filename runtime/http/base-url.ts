import type { Request } from "express";
import { failures } from "./errors.ts";

/** Names (with the underscores that container networks allow), IPv4 and bracketed IPv6 addresses, with an optional port. */
const hostForm = /^(?:[a-z0-9](?:[a-z0-9_.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** The base URL of this server without a trailing slash: the configured one, otherwise that of the request. @throws {HttpError} 400 for an invalid Host. */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  // Express respects forwarded headers of trusted proxies only.
  const host: unknown = request.host;
  if (typeof host !== "string" || !hostForm.test(host)) throw failures.hostInvalid();
  return `${request.protocol === "https" ? "https" : "http"}://${host}`;
}
