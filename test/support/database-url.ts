/** The migrated database that test databases are copied from. */
export const templateName = "ashlar_template";

/** Returns the URL of a database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
