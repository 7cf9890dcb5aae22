import { type Address, encodeDeployData, type Hex, pad, toHex } from "viem";
import type { Deployed, StoryBuilder } from "./story-builder.ts";
import type { Accounts } from "./story-coins.ts";

/** Contracts that move native value; the `mortals` are destroyed in the story. */
export interface ValueContracts {
  readonly mover: Deployed;
  readonly delegateTarget: Deployed;
  readonly mortals: readonly Deployed[];
}

const finney = 10n ** 15n;
/** The identity precompile (Yellow Paper, appendix E): an account without code whose calls never fail. */
const identity: Address = "0x0000000000000000000000000000000000000004";

/** An arbitrary number above the precompiles' addresses, whose behaviour would differ. */
const sinkBase = 0x51_4b_00;
/** An account without a known key that receives one kind of payment. */
export const sink = (number: number): Address => pad(toHex(sinkBase + number), { size: 20 });

/** Deploys the contracts, each with some value. */
export async function deployValueContracts(builder: StoryBuilder): Promise<ValueContracts> {
  const mover = await builder.deploy("Mover", [], 1_000n * finney);
  const delegateTarget = await builder.deploy("Mover", [], 7n * finney);
  const mortals: Deployed[] = [];
  for (let count = 1n; count <= 8n; count += 1n) mortals.push(await builder.deploy("Mortal", [], count * finney));
  return { mover, delegateTarget, mortals };
}

/** Mines value transfers by calls and creations, including failing ones: three blocks. */
export async function addValueTransfers(
  builder: StoryBuilder,
  { mover, delegateTarget }: ValueContracts,
  { alice, bob }: Accounts,
): Promise<void> {
  const { artifact } = builder;
  const initCode = artifact("Mortal").bytecode;
  const failing = artifact("RevertingConstructor").bytecode;
  const selfDestructCode = (beneficiary: Address): Hex =>
    encodeDeployData({
      abi: artifact("SelfDestructingConstructor").abi,
      bytecode: artifact("SelfDestructingConstructor").bytecode,
      args: [beneficiary],
    });
  await builder.mineBlock(
    { ...mover.call("pay", sink(1), 11n), value: 5n },
    { ...mover.call("payMany", [sink(1), sink(2), sink(1), bob], 3n), value: 12n },
    { ...mover.call("payInRevertedCall", sink(3), 7n), value: 9n },
    { ...mover.call("payInNestedRevertedCall", sink(4), 5n), value: 9n },
    mover.call("payMoreThanBalance", sink(5)),
    { ...mover.call("payWithoutGas", delegateTarget.address, 3n), value: 3n },
    mover.call("paySelf", 1_234n),
    mover.call("payMiner", 4_321n),
    { ...mover.call("delegate", delegateTarget.address, sink(6), 13n), value: 2n },
    { ...mover.call("callCode", identity, 17n), value: 1n },
    mover.call("pay", identity, 1n),
  );
  await builder.mineBlock(
    { ...mover.call("create", initCode, 21n), value: 30n },
    mover.call("create2", initCode, 22n, pad("0x1", { size: 32 })),
    mover.call("create", failing, 23n),
    // The address is already in use, so the creation fails and its value stays with the creator.
    mover.call("create2", initCode, 24n, pad("0x1", { size: 32 })),
    mover.call("createInRevertedCall", initCode, 25n),
    mover.call("create", selfDestructCode(sink(7)), 26n),
    { data: selfDestructCode(sink(8)), value: 27n },
    { data: initCode, value: 28n },
  );
  await builder.mineFailingBlock(
    { ...mover.call("payAndFail", sink(9), 5n), value: 6n },
    { data: failing, value: 29n, gas: 200_000n },
    { from: alice, to: mover.address, data: "0xdeadbeef", value: 31n, gas: 100_000n },
  );
}

/** Mines self-destructs, and payments to destroyed contracts: three blocks. */
export async function addSelfDestructs(builder: StoryBuilder, { mover, mortals }: ValueContracts, { alice, bob }: Accounts): Promise<void> {
  const [first, second, third, fourth, fifth, sixth, seventh, eighth] = mortals as [
    Deployed,
    Deployed,
    Deployed,
    Deployed,
    Deployed,
    Deployed,
    Deployed,
    Deployed,
  ];
  const initCode = builder.artifact("Mortal").bytecode;
  await builder.mineBlock(
    first.call("destroy", sink(10)),
    // The beneficiary is the contract itself: its value is burnt before EIP-6780 and retained since.
    second.call("destroy", second.address),
    third.call("destroy", bob),
    { ...mover.call("selfDestructInRevertedCall", fourth.address, sink(11)), value: 1n },
    mover.call("killAndPay", fifth.address, sink(12), 41n),
    mover.call("killTwice", sixth.address, sink(13), 42n),
    mover.call("createKillAndPay", initCode, 43n, sink(14), 0n),
  );
  await builder.mineBlock(
    // Payments to a contract that was destroyed in an earlier block are ordinary payments.
    { from: alice, to: first.address, value: 44n, gas: 60_000n },
    { from: alice, to: second.address, value: 45n, gas: 60_000n },
    mover.call("createKillAndPay", initCode, 46n, sink(15), 47n),
    mover.call("killAndPay", seventh.address, seventh.address, 48n),
    mover.call("killTwice", eighth.address, eighth.address, 49n),
  );
  await builder.mineBlock({ from: alice, to: seventh.address, value: 50n, gas: 60_000n });
}
