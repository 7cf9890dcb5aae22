import type { CommunityTransaction } from "../../../generated/responses.gen.ts";
import { addressOf } from "../../lib/bitcoin/address.ts";
import { type BitcoinNetwork, bitcoinNetworks } from "../../lib/bitcoin/networks.ts";
import type { Hex } from "../../lib/hex.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** A wallet's actions in a protocol, newest first. */
export const getCommunityTransactions: Handlers["getCommunityTransactions"] = async (request, context) => {
  const page = await pageOfOperation<CommunityTransaction>(context, request, {
    operation: "transactions",
    wallet: request.address,
  });
  const chain = context.chains.bitcoin(page.chain_id);
  if (chain === undefined) return { address: request.address, ...page };
  const network = bitcoinNetworks[chain.network];
  const items = page.items.map((item) => ({ ...item, from_address: addressOfScript(network, item.from_address) }));
  return { ...page, address: addressOfScript(network, request.address) ?? "", chain_id: null, items };
};

/** The address of a script, which identifies a wallet in a Bitcoin index; null if it has none. */
const addressOfScript = (network: BitcoinNetwork, script: string | null): string | null =>
  script === null ? null : addressOf(network, script as Hex);
