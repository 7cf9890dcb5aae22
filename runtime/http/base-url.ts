import type { Request } from "express";
import { failures } from "./errors.ts";

/** A name (with the underscores that container networks allow), an IPv4 or a bracketed IPv6 address, with an optional port. */
const hostPattern = /^(?:[a-z0-9](?:[a-z0-9_.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** The base URL of this server without a trailing slash: the configured URL, otherwise the request's. @throws {HttpError} 400 if Host is invalid. */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  // Express respects forwarded headers of trusted proxies only.
  const host: unknown = request.host;
  if (typeof host !== "string" || !hostPattern.test(host)) throw failures.hostInvalid();
  return `${request.protocol === "https" ? "https" : "http"}://${host}`;
}
