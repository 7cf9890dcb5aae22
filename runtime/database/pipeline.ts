import pg from "pg";

/** A statement that returns no rows, with its parameters as text. */
export interface PipelinedStatement {
  readonly text: string;
  readonly values?: readonly string[];
  /** Rows for COPY … FROM STDIN in text format. */
  readonly rows?: readonly Buffer[];
  /** Converts the server's error if the statement fails. Not called for a lost connection, which no particular statement causes. */
  readonly toError?: (error: unknown) => unknown;
}

/** Protocol messages for which the driver has no function (PostgreSQL, section "Message Formats"). */
const [copyData, copyDone] = [0x64, 0x63];

/**
 * Runs statements in order, sending each without waiting for the previous result, so that a process that is busy with other work does not delay them.
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

/** Whether the server reports that a statement failed rather than that the connection ends (SQLSTATE 57P01 to 57P05). */
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

/** A message header: its type, and its length including the length field. */
const header = (type: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(5);
  bytes[0] = type;
  bytes.writeUInt32BE(length + 4, 1);
  return bytes;
};
