import { randomBytes } from "node:crypto";
import type { Database } from "../../database/database.ts";
import { grantSchema } from "../../database/reader/grant-schema.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import type { OperationQuery } from "../../declarations/protocol.ts";
import { installationOf } from "../../domains/community/install/statements.ts";

/**
 * Creates a protocol's tables under a random id, in a transaction that the caller rolls back, and returns the protocol with that id. Grants the
 * reader role access to them, unless it is null.
 */
export const createScratchTables = async (database: Database, added: AddedProtocol, readerRole: string | null): Promise<AddedProtocol> => {
  const scratch = renamed(added, `test_${randomBytes(4).toString("hex")}`);
  const { schema, statements } = installationOf(scratch.protocol);
  await database.transaction(async (client) => {
    for (const statement of statements) await client.query(statement);
    if (readerRole !== null) await grantSchema(client, schema, readerRole);
  });
  return scratch;
};

/** Replaces the scratch tables' id in a database message with the declared id. */
export const withDeclaredId = (
  message: string,
  { protocol: { id: scratch } }: AddedProtocol,
  { protocol: { id } }: AddedProtocol,
): string => message.replaceAll(scratch, id);

/** The protocol under another id. The checker has qualified the tables in its SQL with the quoted schema. */
const renamed = (added: AddedProtocol, id: string): AddedProtocol => {
  const { protocol } = added;
  const renamedQuery = <Query extends OperationQuery>(query: Query): Query => ({
    ...query,
    text: query.text.replaceAll(`"cq_${protocol.id}".`, `"cq_${id}".`),
  });
  const operations = Object.fromEntries(Object.entries(protocol.operations).map(([name, query]) => [name, renamedQuery(query)]));
  const lending = protocol.lending === null ? null : renamedQuery(protocol.lending);
  return { ...added, protocol: { ...protocol, id, name: id, operations, lending } };
};
