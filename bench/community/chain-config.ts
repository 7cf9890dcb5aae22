import { type ChainConfig, chainConfigSchema } from "../../runtime/config/config.ts";
import type { ConfiguredContracts } from "../../runtime/domains/community/contracts-on-chain.ts";
import type { PlannedProtocol } from "./plan.ts";

/** The id of the generated index's only chain. */
export const chainId = 1;

/** The contracts of protocols, as an operator would configure them. */
export const communityOf = (protocols: readonly PlannedProtocol[]): ConfiguredContracts =>
  Object.fromEntries(protocols.map(({ protocol, contracts }) => [protocol.id, contracts]));

/** The configuration of the generated chain with the contracts of protocols. */
export const configOf = (protocols: readonly PlannedProtocol[]): ChainConfig =>
  chainConfigSchema.parse({
    name: "bench",
    id: chainId,
    rpc: "http://127.0.0.1:1",
    nativeAccounting: "none",
    groups: ["historical"],
    community: communityOf(protocols),
  });
