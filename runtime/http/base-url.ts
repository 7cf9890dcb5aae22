import type { ConnectionInfo } from "./connection-info.ts";
import { failures } from "./errors.ts";

/** A name (with the underscores that container networks allow), an IPv4 or a bracketed IPv6 address, with an optional port. */
const hostPattern = /^(?:[a-z0-9](?:[a-z0-9_.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** Removes the slashes at the end of a configured URL. */
export const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, "");

/** This server's base URL without a trailing slash: the configured one, otherwise the request's. @throws {HttpError} 400 if Host is invalid. */
export function baseUrl({ host, protocol }: Pick<ConnectionInfo, "host" | "protocol">, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return withoutTrailingSlash(publicUrl);
  if (host === undefined || !hostPattern.test(host)) throw failures.hostInvalid();
  return `${protocol === "https" ? "https" : "http"}://${host}`;
}
