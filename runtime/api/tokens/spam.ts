import type { Chain } from "../../../generated/requests.gen.ts";
import type { ClassifiedToken } from "../../domains/tokens/classification/classifier.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { TransferRow } from "../../domains/tokens/queries/transfer.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { filterInTurns, forEachInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";

/** The tokens that the rules classify as spam. Queries the database only for tokens whose names suggest an airdrop. */
export async function spamAmong(
  { classifier, tokens }: Pick<ResolverContext, "classifier" | "tokens">,
  chain: Chain,
  metadata: Iterable<TokenMetadata>,
): Promise<ReadonlySet<Address>> {
  const spam = new Set<Address>();
  const suspects: ClassifiedToken[] = [];
  await forEachInTurns(metadata, ({ address, name, symbol, decimals, standards: emitted }) => {
    if (address === nativeTokenAddress) return;
    const token: ClassifiedToken = { chainId: chain.id, address, standard: emitted[0] ?? standards.erc20, name, symbol, decimals };
    if (classifier.isSpam(token).value) spam.add(address);
    else if (classifier.mayBeAirdrop(token)) suspects.push(token);
  });
  const airdropped = await tokens.airdroppedTokens(
    chain.id,
    suspects.map(({ address }) => address),
    classifier.sampling.airdrops,
  );
  for (const { address } of suspects) if (airdropped.has(address)) spam.add(address);
  return spam;
}

/** A wallet's transfers that the rules classify as poisoning. Runs one query, or none if every transfer has an amount. */
export async function poisoningAmong(
  { classifier, tokens }: Pick<ResolverContext, "classifier" | "tokens">,
  chain: Chain,
  wallet: Address,
  transfers: readonly TransferRow[],
  senderOf: (transfer: TransferRow) => Address | undefined,
): Promise<ReadonlySet<TransferRow>> {
  const zeroTransfers = await filterInTurns(transfers, ({ amount, from_address: from, to_address: to }) => amount === "0" && from !== to);
  if (zeroTransfers.length === 0) return new Set();
  const newest = zeroTransfers.reduce((block, transfer) => Math.max(block, transfer.block_number), 0);
  // The transactions up to the newest transfer include those of the page itself.
  const maxTransactions = classifier.sampling.poisoning.transactions + transfers.length;
  const counterparties = classifier.counterpartiesOf(await tokens.counterparties(chain.id, wallet, newest, maxTransactions));
  const poisoning = await filterInTurns(zeroTransfers, (transfer) => {
    const { block_number: block, from_address: from, to_address: to, amount } = transfer;
    const sender = senderOf(transfer);
    return sender !== undefined && classifier.isPoisoning({ wallet, block, from, to, amount, sender }, counterparties).value;
  });
  return new Set(poisoning);
}
