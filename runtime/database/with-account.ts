/** A database user, and the database to which it connects; user and password need no escaping in URLs. */
export interface Account {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Scheme, credentials, hosts, path and query. The host may be empty, which `URL` rejects; the driver then uses `?host=`. */
const parts = /^([a-z]+:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * The same database's URL for another user. The other settings are preserved as pg-connection-string reads them: without a path, the driver would
 * connect to a database named after the user, and the path of a `socket:` URL is a folder.
 */
export function withAccount(url: string, { user, password, database }: Account): string {
  const [, scheme = "", , host = "", path = "", query = ""] = parts.exec(url) ?? [];
  const settings = query.split("&").filter((setting) => setting !== "" && !/^(user|password)=/.test(setting));
  const isSocket = scheme.toLowerCase() === "socket://";
  if (isSocket && !settings.some((setting) => setting.startsWith("db="))) settings.push(`db=${encodeURIComponent(database)}`);
  const folderOrDatabase = isSocket || path.length > 1 ? path : `/${encodeURI(database)}`;
  return `${scheme}${user}:${password}@${host}${folderOrDatabase}${settings.length === 0 ? "" : `?${settings.join("&")}`}`;
}

/** The URL of another database on the same server; null if the URL names no host. */
export function withDatabase(url: string, database: string): string | null {
  const [, scheme = "", credentials = "", host = "", , query] = parts.exec(url) ?? [];
  return host === "" ? null : `${scheme}${credentials}${host}/${encodeURI(database)}${query === undefined ? "" : `?${query}`}`;
}
