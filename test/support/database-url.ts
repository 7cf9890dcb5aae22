/** The migrated database that each test's own is a copy of. */
export const templateName = "ashlar_template";

/** The same server, another database. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
