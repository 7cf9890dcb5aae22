import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A statement that a server sent through the proxy. */
export interface SentStatement {
  /** The name of the prepared statement; empty if it has none. */
  readonly name: string;
  readonly text: string;
  /** Whether the request also parsed the statement. */
  readonly isParsed: boolean;
  readonly startedAt: number;
  /** When the database was ready for the next statement of the connection. */
  readonly endedAt: number;
}

/** A proxy between a server and PostgreSQL that records the statements. */
export interface StatementProxy {
  /** The database URL through the proxy. */
  readonly url: string;
  /** Returns the statements since the last call. */
  take(): SentStatement[];
  stop(): void;
}

/** Starts the proxy. It supports the extended and the simple query protocol (PostgreSQL, "Message Formats"). */
export async function startStatementProxy(databaseUrl: string): Promise<StatementProxy> {
  const target = new URL(databaseUrl);
  let sent: SentStatement[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    const prepared = new Map<string, string>();
    let open: Omit<SentStatement, "endedAt">[] = [];
    let parsed: string | null = null;
    const fromClient = createReader(false, (type, body) => {
      const startedAt = performance.now();
      if (type === "P") {
        const name = textAt(body, 0);
        prepared.set(name, textAt(body, name.length + 1));
        parsed = name;
      } else if (type === "B") {
        const name = textAt(body, textAt(body, 0).length + 1);
        open.push({ name, text: prepared.get(name) ?? "", isParsed: parsed === name, startedAt });
        parsed = null;
      } else if (type === "Q") open.push({ name: "", text: textAt(body, 0), isParsed: true, startedAt });
    });
    const fromServer = createReader(true, (type) => {
      if (type !== "Z") return;
      sent.push(...open.map((statement) => ({ ...statement, endedAt: performance.now() })));
      open = [];
    });
    client.on("data", (part) => {
      fromClient(part);
      upstream.write(part);
    });
    upstream.on("data", (part) => {
      fromServer(part);
      client.write(part);
    });
    client.on("end", () => upstream.end());
    upstream.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    take() {
      const taken = sent;
      sent = [];
      return taken;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const textAt = (body: Buffer, start: number): string => body.toString("utf8", start, body.indexOf(0, start));

/** Splits a stream into messages. The first message of a client has no type. */
function createReader(isFirstTyped: boolean, onMessage: (type: string, body: Buffer) => void): (part: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let hasType = isFirstTyped;
  return (part) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (;;) {
      const head = hasType ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = rest.readUInt32BE(head);
      if (rest.length < head + length) return;
      if (hasType) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(head + 4, head + length));
      rest = rest.subarray(head + length);
      hasType = true;
    }
  };
}
