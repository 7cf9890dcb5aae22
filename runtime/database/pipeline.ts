import pg from "pg";

/** A statement without a result, with its parameters as text. */
export interface PipelinedStatement {
  readonly text: string;
  readonly values?: readonly string[];
  /** The rows of COPY … FROM STDIN in text format. */
  readonly rows?: readonly Buffer[];
  /** Converts the server's error if the statement fails. Not called for a lost connection, which is not the fault of a particular statement. */
  readonly toError?: (error: unknown) => unknown;
}

/** Messages of the protocol that the driver has no function for (PostgreSQL, section "Message Formats"). */
const [copyData, copyDone] = [0x64, 0x63];

/**
 * Runs statements in order, without waiting for the result of one before the next is sent, so that a process that is busy with other work does not delay them.
 * The first one that fails ends the pipeline. For use inside a transaction, which must be rolled back after an error.
 */
export const runPipeline = (client: pg.ClientBase, statements: readonly PipelinedStatement[]): Promise<void> => {
  if (statements.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    let completed = 0;
    const query = {
      submit: (connection: pg.Connection): void => {
        connection.stream.cork();
        for (const statement of statements) sendStatement(connection, statement);
        // After an error, the server ignores all messages before this one (PostgreSQL, section "Pipelining").
        connection.sync();
        connection.stream.uncork();
      },
      handleCommandComplete: (): void => {
        completed += 1;
      },
      handleError: (error: unknown): void => reject((isOfStatement(error) ? statements[completed]?.toError?.(error) : undefined) ?? error),
      handleReadyForQuery: (): void => resolve(),
      handleCopyInResponse: (): void => undefined,
      handleDataRow: (): void => undefined,
      handleEmptyQuery: (): void => undefined,
    };
    client.query(query);
  });
};

/** Whether the server reports the failure of a statement rather than the end of the connection (SQLSTATE 57P01 to 57P05). */
const isOfStatement = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code?.startsWith("57P") !== true;

const sendStatement = (connection: pg.Connection, { text, values = [], rows }: PipelinedStatement): void => {
  connection.parse({ name: "", text, types: [] }, true);
  connection.bind({ values: [...values] }, true);
  connection.execute({}, true);
  if (rows === undefined) return;
  for (const chunk of rows) {
    connection.stream.write(header(copyData, chunk.length));
    connection.stream.write(chunk);
  }
  connection.stream.write(header(copyDone, 0));
};

/** The header of a message: its type, and its length including the length field. */
const header = (type: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(5);
  bytes[0] = type;
  bytes.writeUInt32BE(length + 4, 1);
  return bytes;
};
