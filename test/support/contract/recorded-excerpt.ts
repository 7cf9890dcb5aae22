/** The maximum number of elements in each list of an example. */
const maxElements = 2;
const variableTimes = ["updated_at", "update_at", "node_seen_at", "last_scraped_at"];

/** The documented form of a response: lists are shortened, and variable times and the server's URL are replaced. */
function excerptOf(value: unknown, url: string, name = ""): unknown {
  if (variableTimes.includes(name)) return "2025-10-31T12:00:00Z";
  if (typeof value === "string") return url === "" ? value : value.replace(url, "https://api.example");
  if (Array.isArray(value)) return value.slice(0, maxElements).map((element) => excerptOf(element, url));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, excerptOf(member, url, key)]));
}

/** An example file's text. */
export const exampleText = (body: unknown, url: string): string => `${JSON.stringify(excerptOf(body, url), null, 2)}\n`;
