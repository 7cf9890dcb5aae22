import { builtInProtocols } from "../../runtime/protocols.ts";
import type { PlannedProtocol, ProtocolPlan } from "./plan.ts";
import { planProtocol } from "./plan.ts";
import { lendingPools, tokenMarkets } from "./plans/lending.ts";
import { exchangePools, stablePools, vaultPools } from "./plans/pools.ts";
import { sharePools, strategyVaults, vaults } from "./plans/vaults.ts";

const plans: Readonly<Record<string, ProtocolPlan>> = {
  protocol_01: lendingPools,
  protocol_02: vaultPools,
  protocol_04: tokenMarkets,
  protocol_05: stablePools,
  protocol_06: vaults,
  protocol_07: exchangePools,
  protocol_08: tokenMarkets,
  protocol_09: sharePools,
  protocol_10: strategyVaults,
};

/** Plans the declared protocols that have a plan: all protocols of EVM chains, or those with the given ids if any are given. */
export const plannedProtocols = (ids: readonly string[] = []): PlannedProtocol[] =>
  builtInProtocols.flatMap((protocol) => {
    const plan = plans[protocol.id];
    return plan === undefined || (ids.length > 0 && !ids.includes(protocol.id)) ? [] : [planProtocol(protocol, plan)];
  });
