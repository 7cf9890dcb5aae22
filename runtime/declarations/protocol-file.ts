import { z } from "zod";
import { idPattern, namePattern, queryFilePattern } from "./names.ts";

/**
 * The single definition of `protocol.yaml`: its type, shape check and part of `spec/catalog.schema.json` are derived from it.
 * Constraints that a shape cannot express (on references, signatures, SQL) are checked in `checks/`.
 */

const sentence = z.string().min(3);
const snakeName = z.string().regex(namePattern, "a snake_case name of at most 30 characters");
const contractName = z.string().regex(/^[a-z][a-zA-Z0-9_]{0,39}$/, "a name of letters, digits and _ that starts with a lower-case letter");
const chainName = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "the name of a chain, such as eth-mainnet");
const height = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const deployedContract = z.strictObject({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, "0x followed by 40 hex digits"),
  from: height.describe("The block in which it was deployed."),
});

const discovery = z.strictObject({
  contract: contractName.describe("The kind of contract that emits the event."),
  event: z.string().describe("The signature of the event, such as CreateVault(address indexed vault, address asset)."),
  address: z.string().describe("The parameter that is the address of the announced contract."),
});

const listing = z.strictObject({
  read: z.string().describe("A read that returns an address or a list of them."),
  column: z.string().optional().describe("The result with the addresses; optional if the read has only one result."),
});

const declaredContract = z.strictObject({
  description: sentence.optional(),
  networks: z.record(chainName, z.array(deployedContract).min(1)).default({}).describe("Fixed addresses by chain."),
  discoveredBy: z.array(discovery).default([]).describe("Events of other contracts that announce contracts of this kind."),
  listedBy: z.array(listing).default([]).describe("Reads of other contracts that return addresses of these contracts."),
});

const eventTable = z.strictObject({
  contract: contractName.describe("The kind of contract that emits the events."),
  events: z.array(z.string()).min(1).describe("Signatures of the event and its variants, without the word event."),
  columns: z
    .record(snakeName, z.string())
    .optional()
    .describe("The parameter of each column; by default, every parameter has a column with its name in snake_case."),
  indexes: z.array(z.array(z.string()).min(1)).default([]).describe("Columns of additional indexes."),
  latestBy: z.array(z.string()).min(1).optional().describe("The key of the table of newest rows, <table>_latest."),
});

const literal = z.union([z.string(), z.number().int(), z.boolean()]);

const argument = z.union([
  ...literal.options,
  z.strictObject({
    column: z.string().describe("A column that every table in touchedBy has; the contract is called once per value of this column."),
  }),
  z.strictObject({ each: z.array(literal).min(1).describe("One call per value.") }),
]);

const contractRead = z.strictObject({
  contract: contractName.describe("The kind of contract that is called."),
  call: z.string().describe("The signature of the function, such as totalAssets() view returns (uint256 assets)."),
  arguments: z
    .array(argument)
    .default([])
    .describe("In the order of the parameters: values, { column: name } or { each: [values] }; quote large numbers."),
  touchedBy: z.array(z.string()).default([]).describe("Tables in which a new row triggers the read at that row's block."),
  contractColumn: z
    .string()
    .optional()
    .describe("A column of these tables with the address of the contract to call, if events of another contract make the read due."),
  everyBlocks: z.number().int().min(1).optional().describe("The interval, in blocks, at which the read is also due."),
  latest: z
    .boolean()
    .default(false)
    .describe("Whether SQL can read the newest results of all contracts as of a block with the function <read>_at."),
});

const sqlFile = z
  .string()
  .regex(queryFilePattern, "a SQL file in the same folder, such as markets.sql, or in a shared one, such as ../ctoken/markets.sql");

const operation = z.strictObject({
  sql: sqlFile
    .optional()
    .describe(
      "The file of its query, in the same folder or in a sibling folder without a protocol; without a file, the operation is planned.",
    ),
  notes: sentence.optional().describe("Replaces the notes of the template."),
  genericPlan: z
    .boolean()
    .default(false)
    .describe(
      "Whether a connection plans the query once for all values of its parameters; use it if planning takes longer than a better plan saves.",
    ),
  bitcoinAddress: z
    .strictObject({ description: sentence, example: z.string() })
    .optional()
    .describe("On Bitcoin chains: the description and the example of the parameter address."),
});

const lending = z
  .strictObject({
    sql: sqlFile.describe("The file of its query, which returns one row per lending event of a transaction."),
    label: sentence.describe("The name of the protocol in lending_details."),
    version: z.string().min(1).optional().describe("The version of the protocol, for rows whose version is null."),
    fork: sentence.optional().describe("The protocol that it was forked from."),
    forkVersion: z.string().min(1).optional().describe("The version of the protocol that it was forked from."),
  })
  .describe("Lending events of transactions, for with-lending.");

/** The shape of `protocol.yaml`. */
export const protocolFileSchema = z.strictObject({
  protocol: z.string().regex(idPattern, "a snake_case name of at most 20 characters, such as protocol_01"),
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "a kebab-case name")
    .describe("The default name in paths."),
  description: sentence,
  chainKind: z
    .enum(["evm", "bitcoin"])
    .default("evm")
    .describe("The kind of chain that the protocol is on. A protocol of the kind bitcoin is on all Bitcoin chains."),
  version: z.number().int().min(1).default(1).describe("Increase it when the meaning of rows changes; the tables are then rebuilt."),
  contracts: z.record(contractName, declaredContract).default({}),
  tables: z.record(snakeName, eventTable).default({}),
  reads: z.record(snakeName, contractRead).default({}),
  operations: z.record(snakeName, z.union([z.null(), operation])),
  lending: lending.optional(),
});

/** A declaration as written, with defaults applied. */
export type ProtocolFile = z.infer<typeof protocolFileSchema>;
