import { failures } from "./errors.ts";
import type { Query } from "./query.ts";

const keyPattern = /^ckey_[a-f0-9]{27}$/;
const schemePattern = /^(bearer|basic)(?: +(.*))?$/is;

function basicUser(credentials: string): string {
  const text = Buffer.from(credentials, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1) return text;
  if (colon !== text.length - 1) throw failures.basicCredentialsInvalid();
  return text.slice(0, colon);
}

function sentKey(authorization: string | undefined, query: Query): string | undefined {
  const [, scheme, credentials = ""] = schemePattern.exec(authorization ?? "") ?? [];
  if (scheme !== undefined) return scheme.toLowerCase() === "bearer" ? credentials : basicUser(credentials);
  const key = query.key;
  return typeof key === "object" ? key.join(",") : key;
}

/**
 * The key of a request: bearer token, otherwise HTTP Basic user (RFC 7617), otherwise `key` in the query; the first one that is present is used.
 * @throws {HttpError} 401 if there is no well-formed key.
 */
export function readKey(authorization: string | undefined, query: Query): string {
  const key = sentKey(authorization, query)?.trim();
  if (key === undefined || key === "") throw failures.keyMissing();
  if (!keyPattern.test(key)) throw failures.keyMalformed();
  return key;
}
