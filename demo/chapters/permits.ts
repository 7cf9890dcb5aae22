import { hashTypedData, parseSignature } from "viem";
import { sign } from "viem/accounts";
import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer, encodeTransferFrom } from "../story/encode.ts";
import { gardenerPrivateKey } from "../story/genesis.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { farDeadline, unlimited } from "./exchange-types.ts";

const unit = 10n ** 18n;
const chainId = 31_337;

/** The EIP-712 types of a permit (EIP-2612). */
const types = {
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
};

/** Deploys a token with EIP-2612 permits. The spenders submit signed permits, which are used, partly used or revoked. */
export const setUpPermits = async (context: StoryContext, accounts: Accounts): Promise<{ coin: Address; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const { deployer, gardener, trader, collector, dealers } = accounts;
  const coin = await context.deploy(deployer, artifacts.ferryCoin, [1_000_000n * unit]);
  let nonce = 0n;
  const permit = async (spender: Address, value: bigint): Promise<Call> => {
    const domain = { name: "Ferry Coin", version: "1", chainId, verifyingContract: coin };
    const message = { owner: gardener, spender, value, nonce, deadline: farDeadline };
    nonce += 1n;
    const signature = await sign({
      hash: hashTypedData({ domain, types, primaryType: "Permit", message }),
      privateKey: gardenerPrivateKey,
      to: "hex",
    });
    const { r, s, yParity } = parseSignature(signature);
    const data = encode(artifacts.ferryCoin.abi, "permit", [gardener, spender, value, farDeadline, 27 + yParity, r, s]);
    // The owner only signs; the spender submits the permit.
    return { from: spender, to: coin, data, gas: 150_000 };
  };
  const spend = (spender: Address, owner: Address, amount: bigint): Call => ({
    from: spender,
    to: coin,
    data: encodeTransferFrom(owner, spender, amount),
    gas: 120_000,
  });
  const approve = (from: Address, spender: Address, amount: bigint): Call => ({
    from,
    to: coin,
    data: encodeApprove(spender, amount),
    gas: 80_000,
  });
  const sendCoins = (to: Address, whole: bigint): Call => ({
    from: deployer,
    to: coin,
    data: encodeTransfer(to, whole * unit),
    gas: 80_000,
  });
  const [first, second] = dealers as readonly [Address, Address];
  await context.mine([
    ...[sendCoins(gardener, 50_000n), sendCoins(trader, 3_000n), sendCoins(collector, 2_000n)],
    // A permit that is never used.
    await permit(first, 700n * unit),
    // An unlimited permit: spending does not lower it.
    await permit(trader, unlimited),
    spend(trader, gardener, 25n * unit),
    // An allowance above the balance, partly used; no event reports the remainder.
    approve(trader, second, 9_000n * unit),
    spend(second, trader, 500n * unit),
    approve(collector, trader, 100n * unit),
    spend(trader, collector, 100n * unit),
    approve(collector, first, 60n * unit),
    approve(collector, first, 0n),
  ]);

  const random = context.createRandom("permits");
  return {
    coin,
    dailyCalls: async (day) => {
      if (day === storyDays - 2) return [spend(second, trader, 250n * unit)];
      if (day % 3 !== 0) return [];
      const spender = random.pick(dealers.slice(2));
      const value = BigInt(random.between(10, 90)) * unit;
      const permitted = await permit(spender, value);
      const kind = random.below(4);
      if (kind === 0) return [permitted];
      if (kind === 1) return [permitted, await permit(spender, 0n)];
      return [permitted, spend(spender, gardener, kind === 2 ? value : (value * 2n) / 5n)];
    },
  };
};
