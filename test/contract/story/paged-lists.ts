import { type Address, type Hash, type Hex, pad, toHex, zeroAddress } from "viem";
import { artifacts, encodeCall, type TestChain } from "../../support/chain.ts";

/** keccak256("Transfer(address,address,uint256)"), EIP-20. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const erc20 = artifacts.erc20();
const wordOf = (address: Address): Hash => pad(address, { size: 32 });

interface NodeLog {
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hash;
  readonly topics: readonly Hash[];
}
const logKey = ({ blockNumber, logIndex }: NodeLog): string => `${Number(blockNumber)}:${Number(logIndex)}`;

/** A paged list: its path, its page size, its row key, and the expected keys up to a height. */
export interface PagedList {
  readonly path: (height: number) => string;
  readonly size: number;
  readonly rowKey: (row: Row) => string;
  readonly expectedKeys: (height: number) => Promise<string[]>;
}
export interface Row {
  readonly tx_hash: Hash;
  readonly block_height: number;
  readonly height: number;
  readonly log_offset: number;
  readonly address: Address;
  readonly balance: string;
}
export interface Page {
  readonly items: readonly Row[];
  readonly pagination: { readonly has_more: boolean };
}

export const pagedListNames = ["transfers", "logs of a contract", "logs of a topic", "holders", "blocks of a day"] as const;
type PagedListName = (typeof pagedListNames)[number];

/** Creates the paged lists for a chain with one token and an account that transfers it; the node provides the expected rows. */
export function createPagedLists(chain: TestChain, token: Address, trader: Address): Readonly<Record<PagedListName, PagedList>> {
  const logsUpTo = async (height: number, topics = [transferTopic]): Promise<NodeLog[]> =>
    (await chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: toHex(height), topics }])).reverse();
  return {
    transfers: {
      path: () => `address/${trader}/transfers_v2/?contract-address=${token}`,
      size: 40,
      rowKey: ({ tx_hash: hash }) => hash,
      expectedKeys: async (height) => [
        ...new Set(
          (await logsUpTo(height))
            .filter(({ topics }) => topics.slice(1, 3).includes(wordOf(trader)))
            .map(({ transactionHash: hash }) => hash),
        ),
      ],
    },
    "logs of a contract": {
      path: () => `events/address/${token}/?starting-block=0`,
      size: 60,
      rowKey: ({ block_height: height, log_offset: offset }) => `${height}:${offset}`,
      // The chain has one contract, so no address filter is needed. Its creation also emits logs.
      expectedKeys: async (height) => (await logsUpTo(height, [])).map(logKey),
    },
    "logs of a topic": {
      path: () => `events/topics/${transferTopic}/?sender-address=${token}`,
      size: 50,
      rowKey: ({ block_height: height, log_offset: offset }) => `${height}:${offset}`,
      expectedKeys: async (height) => (await logsUpTo(height)).map(logKey),
    },
    holders: {
      path: () => `tokens/${token}/token_holders_v2/?`,
      size: 100,
      rowKey: ({ address, balance }) => `${address} ${balance}`,
      expectedKeys: async (height) => {
        const words = new Set((await logsUpTo(height)).flatMap(({ topics }) => topics.slice(1, 3)));
        const owners = [...words].map((word): Address => `0x${word.slice(26)}`).filter((address) => address !== zeroAddress);
        const returned = await chain.batch<Hex>(
          owners.map((owner) => ({ method: "eth_call", params: [encodeCall(erc20, token, "balanceOf", [owner]), toHex(height)] })),
        );
        return owners
          .map((address, index) => ({ address, balance: BigInt(returned[index] ?? "0x0") }))
          .filter(({ balance }) => balance > 0n)
          .sort((a, b) => (a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1))
          .map(({ address, balance }) => `${address} ${balance}`);
      },
    },
    "blocks of a day": {
      // The time of the genesis block, 1,700,000,000, is on 2023-11-14.
      path: () => "block_v2/2023-11-14/latest/?",
      size: 25,
      rowKey: ({ height }) => String(height),
      expectedKeys: async (height) => Array.from({ length: height + 1 }, (_, number) => String(number)),
    },
  };
}
