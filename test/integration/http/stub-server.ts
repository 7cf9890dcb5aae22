import type { GetBlockRequest, GetTokenBalancesForWalletAddressRequest } from "../../../generated/requests.gen.ts";
import { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import { notFound } from "../../../runtime/lib/request-error.ts";
import { type Harness, startHarness } from "./harness.ts";

/** An unexpected error's message, which no response may contain. */
const secret = "relation tokens SELECT balance FROM /srv/ashlar/queries.ts ckey_0123456789abcdef0123456789a";

/** A wallet's address in mixed case. */
export const wallet = `0x${"Ab".repeat(20)}`;

/** Starts a server whose endpoints succeed, report a missing entity, or fail in known ways. */
export const startStubServer = (): Promise<Harness> =>
  startHarness(
    {
      getAllChains: async () => ({ updated_at: "2026-01-01T00:00:00Z", items: [{ name: "démo" }] }),
      getAllChainStatus: async () => {
        throw new Error(secret);
      },
      getBlock: async ({ chain, blockHeight }: GetBlockRequest) => {
        if (blockHeight === 404) throw notFound("Block", "404", chain.name);
        if (blockHeight === 503) throw new DatabaseUnavailable("ECONNREFUSED", "the connection was refused");
        if (blockHeight === 504) throw Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
        return { height: blockHeight, chain };
      },
      getTokenBalancesForWalletAddress: async (
        { walletAddress, chain, noSpam }: GetTokenBalancesForWalletAddressRequest,
        { absoluteUrl },
      ) => ({
        walletAddress,
        chain,
        noSpam,
        link: absoluteUrl("/v1/x/"),
      }),
      getBlockHeights: async () => ({ items: [] }),
      getLogs: async () => ({ items: [] }),
      getPools: async () => ({ items: [] }),
      getCommunityMarkets: async ({ protocol }: { readonly protocol: string }) => ({ protocol }),
    },
    { protocolNames: { protocol_06: "lend=it" }, limits: { urlBytes: 2000, responseBytes: 5000 } },
  );
