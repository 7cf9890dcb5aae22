import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain, type TestTransaction } from "../../test/support/chain.ts";
import { compileWithPackages } from "../../test/support/solidity.ts";
import type { PlannedProtocol } from "./plan.ts";
import { firstLogs, generateLogs, type PlainLog } from "./story.ts";

/** The size of a chain of protocol events. */
export interface EventChainSize {
  /** Rounded up to whole blocks; includes the first events of each market. */
  readonly events: number;
  readonly blocks: number;
}

export interface EventChain extends TestChain {
  readonly events: number;
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

/** Starts a node with a chain whose only logs are events of protocols, each in a transaction of its own as most of them are. */
export async function startEventChain(
  protocols: readonly PlannedProtocol[],
  size: EventChainSize,
  cacheFolder: string,
): Promise<EventChain> {
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    const emitter = await chain.deploy(contracts("Emitter"));
    const code = await chain.rpc<Hex>("eth_getCode", [emitter, "latest"]);
    const addresses = protocols.flatMap((planned) => Object.values(planned.contracts).flat());
    await chain.batch(addresses.map((address) => ({ method: "anvil_setCode", params: [address, code] })));
    const events = Math.max(size.events, firstLogs(protocols));
    const perBlock = Math.ceil(events / size.blocks);
    const logs = generateLogs(protocols, 1);
    for (let block = 0; block < size.blocks; block += 1) {
      await chain.send(...Array.from({ length: perBlock }, () => emit(logs.next().value, chain.accounts[0] as Address)));
      await chain.mine(1_700_000_000 + block * blockSeconds);
    }
    return { ...chain, events: perBlock * size.blocks };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

const emit = ({ address, topics, data }: PlainLog, from: Address): TestTransaction => ({
  from,
  ...call(contracts("Emitter"), address, "emitLogs", [[{ topics, data }]]),
  gas: 200_000n,
});
