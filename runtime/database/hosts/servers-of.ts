/** The servers named in a database URL. */
export interface Servers {
  /** Each server's URL. */
  readonly urls: readonly string[];
  /** Whether only the primary may be used. */
  readonly mustBePrimary: boolean;
}

/** Scheme and credentials, hosts, path, and query. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;
const attributes = /^target_session_attrs=(.*)$/;

/**
 * The values that make libpq select a writable server (manual, "Parameter Key Words"). Unlike libpq, Ashlar also selects a primary that a setting makes
 * read-only.
 */
const primaryAttributes = new Set(["read-write", "primary"]);

/**
 * Reads a URL that may name several servers, in libpq's format, which the driver does not support: `postgresql://user:password@one:5432,two:5432/name`. With
 * several servers, or with `target_session_attrs`, only the primary is used.
 */
export function serversOf(url: string): Servers {
  const [, start = "", hosts = "", path = "", query = ""] = parts.exec(url) ?? [];
  const settings = query.split("&").filter((setting) => setting !== "");
  const isSingleHost = !hosts.includes(",");
  if (isSingleHost && !settings.some((setting) => attributes.test(setting))) return { urls: [url], mustBePrimary: false };
  const kept = settings.filter((setting) => !attributes.test(setting));
  const end = `${path}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
  return { urls: hosts.split(",").map((host) => `${start}${host}${end}`), mustBePrimary: true };
}

/** Whether a URL selects the primary: explicitly, or by not specifying which server to select. */
export function selectsPrimary(url: string): boolean {
  const query = parts.exec(url)?.[4] ?? "";
  return query.split("&").every((setting) => {
    const value = attributes.exec(setting)?.[1];
    return value === undefined || primaryAttributes.has(value);
  });
}
