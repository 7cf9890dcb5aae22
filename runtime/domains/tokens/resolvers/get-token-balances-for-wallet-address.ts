import type { BalanceItem, BalanceNftData } from "../../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../../config/config.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";
import { notAcceptable } from "../../../lib/request-error.ts";
import { isoTimestamp, secondsOfDay } from "../../../lib/time.ts";
import type { Handlers } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";
import { viewContract, viewHeldNft } from "../../views/token.ts";
import type { BalanceRow } from "../balance-queries.ts";
import type { TokenMetadata } from "../metadata-queries.ts";
import { standards } from "../standards.ts";

/** What a wallet holds at the indexed head, the native token first; a collection is one item. @throws {notAcceptable} more than one answer may list. */
export const getTokenBalancesForWalletAddress: Handlers["getTokenBalancesForWalletAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, nft } = request;
  const { ledger, tokens, limits } = context;
  const most = limits.answerRows;
  const yesterday = await ledger.lastBlockBefore(chain.id, Math.floor(context.now().getTime() / 1000) - secondsOfDay + 1);
  const [balances, earlier, nfts, indexedFrom] = await Promise.all([
    tokens.balancesOf(chain.id, walletAddress, most + 1),
    yesterday === null ? [] : tokens.balancesAt(chain.id, walletAddress, yesterday.number),
    nft ? tokens.nftBalancesOf(chain.id, walletAddress, most + 1) : [],
    ledger.indexedFrom(chain.id),
  ]);
  if (balances.length > most) throw notAcceptable("walletAddress", walletAddress, `a wallet with at most ${most} tokens`);
  if (nfts.length > most) throw notAcceptable("nft", "true", `false for a wallet with more than ${most} token ids`);
  const metadata = await tokens.metadata(
    chain.id,
    balances.map((row) => row.token),
  );
  const held = groupBy(nfts, (row) => keyOf(row.token, row.standard));
  const balance24h = new Map(earlier.map((row) => [keyOf(row.token, row.standard), row.balance]));
  const before = indexedFrom === null || (yesterday !== null && yesterday.number >= indexedFrom) ? "0" : null;
  const chainConfig = context.chains.get(chain.id);
  return {
    address: walletAddress,
    ...chainHead(chain, context.now()),
    quote_currency: quoteCurrency,
    items: balances.map((row) => {
      const key = keyOf(row.token, row.standard);
      const isCollection = row.standard === standards.erc721 || row.standard === standards.erc1155;
      const nftData = nft && isCollection ? (held.get(key) ?? []).map((heldRow) => viewHeldNft(walletAddress, heldRow)) : null;
      return viewBalance(chainConfig, row, metadata.get(row.token), balance24h.has(key) ? (balance24h.get(key) ?? null) : before, nftData);
    }),
    indexed_from: indexedFrom,
  };
};

const keyOf = (token: Address, standard: number): string => `${token}:${standard}`;

function viewBalance(
  chain: ChainConfig,
  row: BalanceRow,
  metadata: TokenMetadata | undefined,
  balance24h: string | null,
  nftData: BalanceNftData[] | null,
): BalanceItem {
  const isCollection = row.standard === standards.erc721 || row.standard === standards.erc1155;
  const contract = viewContract(chain, row.token, row.standard, metadata);
  return {
    ...contract,
    contract_display_name: contract.contract_name,
    logo_urls: { token_logo_url: contract.logo_url, protocol_logo_url: null, chain_logo_url: chain.logoUrl ?? null },
    last_transferred_at: row.timestamp === null ? null : isoTimestamp(row.timestamp),
    native_token: row.standard === standards.native,
    type: isCollection ? "nft" : "cryptocurrency",
    is_spam: null,
    balance: row.balance,
    balance_24h: balance24h,
    quote_rate: null,
    quote_rate_24h: null,
    quote: null,
    quote_24h: null,
    pretty_quote: null,
    pretty_quote_24h: null,
    protocol_metadata: null,
    nft_data: nftData,
    balance_source: row.balance === null ? null : "events",
  };
}
