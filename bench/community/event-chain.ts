import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../test/support/chain.ts";
import { compileWithPackages } from "../../test/support/solidity.ts";
import type { PlannedProtocol } from "./plan.ts";
import { generateLogs, initialLogCount, type PlainLog } from "./story.ts";

/** The size of a protocol-event chain. */
export interface EventChainSize {
  /** Rounded up to whole blocks; includes the first events of each market. */
  readonly events: number;
  readonly blocks: number;
}

export interface EventChain extends TestChain {
  /** The number of events for which a protocol has a table. */
  readonly declaredEventCount: number;
}

const contracts = compileWithPackages(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/** Lets a contract emit any log of at least one topic. */
contract Emitter {
  struct Log { bytes32[] topics; bytes data; }
  function emitLogs(Log[] calldata logs) external {
    for (uint256 n = 0; n < logs.length; n += 1) emitLog(logs[n].topics, logs[n].data);
  }
  function emitLog(bytes32[] calldata topics, bytes memory data) private {
    uint256 count = topics.length;
    bytes32[4] memory t;
    for (uint256 n = 0; n < count; n += 1) t[n] = topics[n];
    assembly {
      let start := add(data, 32)
      let size := mload(data)
      switch count
      case 1 { log1(start, size, mload(t)) }
      case 2 { log2(start, size, mload(t), mload(add(t, 32))) }
      case 3 { log3(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
      default { log4(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
    }
  }
}
`);

const blockSeconds = 12;
/** Max calls per request to the node. */
const maxCalls = 100;

/** Starts a node with a chain whose only logs are protocol events, one per transaction, as is usual on real chains. */
export async function startEventChain(
  protocols: readonly PlannedProtocol[],
  size: EventChainSize,
  cacheFolder: string,
): Promise<EventChain> {
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    const emitter = await chain.deploy(contracts("Emitter"));
    const code = await chain.rpc<Hex>("eth_getCode", [emitter, "latest"]);
    const addresses = emittersOf(protocols);
    for (let start = 0; start < addresses.length; start += maxCalls) {
      await chain.batch(addresses.slice(start, start + maxCalls).map((address) => ({ method: "anvil_setCode", params: [address, code] })));
    }
    const events = Math.max(size.events, initialLogCount(protocols));
    const perBlock = Math.ceil(events / size.blocks);
    const logs = generateLogs(protocols, 1);
    let declaredEventCount = 0;
    for (let block = 0; block < size.blocks; block += 1) {
      const blockLogs = Array.from({ length: perBlock }, () => logs.next().value);
      declaredEventCount += blockLogs.filter(({ isDeclared }) => isDeclared).length;
      await chain.send(...blockLogs.map((log) => emit(log, chain.accounts[0] as Address)));
      await chain.mine(1_700_000_000 + block * blockSeconds);
    }
    return { ...chain, declaredEventCount };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

/** The contracts that emit the events of all markets. */
const emittersOf = (protocols: readonly PlannedProtocol[]): Address[] => {
  const emitters = protocols.flatMap(({ events, plan }) =>
    events.flatMap(({ emitter }) => Array.from({ length: plan.marketCount }, (_, market) => emitter(market))),
  );
  return [...new Set(emitters)];
};

const emit = ({ address, topics, data }: PlainLog, from: Address): TestTransaction => ({
  from,
  ...encodeCall(contracts("Emitter"), address, "emitLogs", [[{ topics, data }]]),
  gas: 200_000n,
});
