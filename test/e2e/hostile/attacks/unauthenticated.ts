import { type Attack, flood } from "../attack.ts";
import { chain, collector } from "../fixture.ts";

const connectionCount = 100;
const pages = ["/openapi.json", "/docs/", "/readyz", "/nowhere", "/v1/nowhere/", `/v1/${chain.name}/address/${collector}/balances_v2/`];
const credentials: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: `Bearer ckey_${"0".repeat(27)}` },
  { authorization: `Basic ${"Ojo6".repeat(2_000)}` },
  { authorization: `Bearer ${"a".repeat(8_000)}` },
  { "x-forwarded-for": "1.2.3.4, ".repeat(500) },
];

/** Floods pages and endpoints without a valid key. */
export const floodWithoutKey = (attack: Attack): Promise<unknown> =>
  Promise.all(
    credentials.map((headers) =>
      flood(attack, connectionCount / credentials.length, (number) => pages[number % pages.length] ?? "/", headers),
    ),
  );
