import type { Chain, Parsed } from "../../generated/requests.gen.ts";
import { accept, reject } from "./parsed.ts";

/** Configured chains that a parser rejects because they are of another kind, with the reason. */
export interface OtherChains {
  readonly chains: readonly Chain[];
  readonly reason: string;
}

/** Creates a parser of configured chains by name or decimal id. */
export function createChainParser(
  chains: readonly Chain[],
  others: OtherChains = { chains: [], reason: "" },
): (text: string) => Parsed<Chain> {
  const byText = byNameAndId(chains);
  const otherByText = byNameAndId(others.chains);
  const names = chains.map((chain) => chain.name).join(", ");
  const expected = `a configured chain by name or id (${names === "" ? "there is none" : names})`;
  return (text) => {
    const chain = byText.get(text);
    if (chain !== undefined) return accept(chain);
    const other = otherByText.get(text);
    return reject(other === undefined ? expected : `${expected}, because ${other.name} is ${others.reason}`);
  };
}

const byNameAndId = (chains: readonly Chain[]): ReadonlyMap<string, Chain> =>
  new Map(chains.flatMap(({ id, name }) => [[String(id), { id, name }] as const, [name, { id, name }] as const]));
