import type { Operation } from "../../generated/operations.gen.ts";
import type { Chain, Parsers, RawRequest } from "../../generated/requests.gen.ts";

interface Deps {
  readonly parsersOf: (operation: Operation) => Pick<Parsers, "chain">;
  /** The chain of a community request without `chain-name`; null if the protocol has no contracts on any configured chain. */
  readonly chainOfProtocol: (protocol: string) => Chain | null;
}

/**
 * The chain that a request reads, before its other parameters are parsed; null if it reads all chains, undefined if it reads none or is invalid. Only community
 * endpoints have `chain-name`; others ignore it, like every unknown parameter.
 */
export function requestedChain(
  { parsersOf, chainOfProtocol }: Deps,
  operation: Operation,
  { path, query }: RawRequest,
): Chain | null | undefined {
  const { protocol } = operation;
  const sent = path.chainName ?? (protocol === null ? undefined : query["chain-name"]);
  if (typeof sent === "object") return undefined;
  const text = sent?.trim() ?? "";
  if (text !== "") {
    const parsed = parsersOf(operation).chain(text);
    return parsed.ok ? parsed.value : undefined;
  }
  return protocol === null ? null : (chainOfProtocol(protocol) ?? undefined);
}
