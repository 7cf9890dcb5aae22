import type { Chain, Parsed } from "../../generated/requests.gen.ts";
import { accept, reject } from "./parsed.ts";

/** Creates a parser of configured chains by name or decimal id. */
export function createChainParser(chains: readonly Chain[]): (text: string) => Parsed<Chain> {
  const byText = new Map<string, Chain>();
  for (const { id, name } of chains) {
    const chain: Chain = { id, name };
    byText.set(String(id), chain);
    byText.set(name, chain);
  }
  const expected = `a configured chain by name or id (${chains.map((chain) => chain.name).join(", ")})`;
  return (text) => {
    const chain = byText.get(text);
    return chain === undefined ? reject(expected) : accept(chain);
  };
}
