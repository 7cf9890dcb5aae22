import { encodeAbiParameters } from "viem";
import type { ChainBlock, ChainLog } from "../../../../runtime/chain/types.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import { fixedContracts } from "../../../../runtime/domains/community/contracts-on-chain.ts";
import { declaredProjection } from "../../../../runtime/domains/community/projection/index.ts";
import type { Row } from "../../../../runtime/indexer/projection.ts";
import { createState, keyText } from "../../../../runtime/indexer/state/state.ts";
import type { Address, Hash } from "../../../../runtime/lib/hex.ts";
import { contractOf, eventOf, protocolOf, readOf, tableOf } from "../../../support/declared-protocol.ts";
import { data, log, topic } from "../token-folds.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
/** The tests' accounts: a factory, two of its vaults, and an account outside the protocol. */
export const [factory, vault, otherVault, stranger] = ["1", "2", "3", "4"].map(account) as [Address, Address, Address, Address];
const facts = { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set<Address>() } as const;

/** The event that announces a vault. */
export const created = "Created(address indexed vault, address asset)";
/** The deposit event. */
export const deposit = "Deposit(address indexed owner, uint256 assets)";
/** The same event in contracts that index the amount. */
const indexedDeposit = "Deposit(address indexed owner, uint256 indexed assets)";
/** An event with text and lists. */
export const named = "Named(string label, int128[] deltas, address[] tokens)";

/** A protocol with a factory and the vaults it announces. */
export const vaults = protocolOf({
  id: "vaults",
  contracts: {
    factory: contractOf({ test: [{ address: factory, from: 3 }] }),
    vault: contractOf({}, [{ contract: "factory", event: created, parameter: "vault" }]),
  },
  tables: [
    tableOf("deposits", "vault", [deposit, indexedDeposit], { latestBy: ["contract", "owner"] }),
    tableOf("names", "vault", [named]),
  ],
  reads: [
    readOf("price", "vault", "price() view returns (uint256 value)", { touchedBy: ["deposits"] }),
    readOf("asset", "vault", "asset() view returns (address value)", { everyBlocks: 100 }),
  ],
});

/** The topic of an event. */
export const topicOf = (text: string): Hash => eventOf(text).topic0;
/** A log that announces a vault. */
export const announce = (address: Address, by = factory): ChainLog => log([topicOf(created), topic(address)], data(7), by);
/** A deposit log. */
export const deposited = (from: Address, amount: bigint, by = vault): ChainLog => log([topicOf(deposit), topic(from)], data(amount), by);
/** A log with text and lists. */
export const textLog = (text: string, deltas: readonly bigint[], tokens: readonly Address[], by = vault): ChainLog =>
  log([topicOf(named)], encodeAbiParameters([{ type: "string" }, { type: "int128[]" }, { type: "address[]" }], [text, deltas, tokens]), by);

/** The rows of each table. */
export type Tables = Record<string, Row[]>;

/** Folds blocks in batches, each based on the previous batches' rows, and returns the rows that the tables would contain. */
export const fold = (
  blocks: readonly ChainBlock[],
  {
    batchSize = blocks.length,
    protocol = vaults,
    community = {},
  }: { batchSize?: number; protocol?: Protocol; community?: Record<string, Record<string, Address[]>> } = {},
): Tables => {
  const projection = declaredProjection(protocol, fixedContracts(protocol, { name: "test", community }));
  const tables: Tables = {};
  for (let start = 0; start < blocks.length; start += batchSize) {
    const decoded = blocks.slice(start, start + batchSize).map((block) => ({ block, events: [] }));
    const keysToLoad = projection.keysToLoad(decoded, facts);
    const state = createState(
      Object.fromEntries(
        Object.entries(projection.loads).map(([name, { table, key }]) => {
          const rows = (tables[table] ?? []).map((row) => [keyText(Object.keys(key).map((column) => String(row[column]))), row] as const);
          // Only declared keys are loaded.
          return [name, new Map(rows.filter(([text]) => keysToLoad[name]?.has(text)))];
        }),
      ),
    );
    const folded = projection.fold(decoded, {
      chain: facts,
      state,
      baseOutcome: () => {
        throw new Error("Unexpected read from the node");
      },
    });
    for (const table of projection.tables) {
      const rows = folded[table.name] ?? [];
      const keyOf = (row: Row) => (table.kind === "latest" ? keyText(table.key.map((column) => String(row[column]))) : null);
      const replaced = new Set(rows.map(keyOf));
      const kept = (tables[table.name] ?? []).filter((row) => table.kind !== "latest" || !replaced.has(keyOf(row)));
      tables[table.name] = [...kept, ...rows];
    }
  }
  return tables;
};

/** The contracts and amounts of the stored deposits. */
export const amounts = (tables: Tables) => (tables.cq_vaults_deposits ?? []).map(({ contract, assets }) => [contract, assets]);
