import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that can drop bytes and break connections. */
export interface TcpProxy {
  readonly port: number;
  /** The number of connections so far. */
  connections: number;
  /** Drops all bytes without an error. */
  isMuted: boolean;
  /** Breaks all connections. */
  disconnect(): void;
  close(): Promise<void>;
}

/** Starts a proxy to the port of a URL on this machine. */
export const startTcpProxy = async (target: string): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (part) => {
      if (!proxy.isMuted) to.write(part);
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    proxy.connections += 1;
    const upstream = connect(Number(new URL(target).port), "127.0.0.1");
    forward(client, upstream);
    forward(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    isMuted: false,
    disconnect,
    close: () =>
      new Promise((resolve) => {
        disconnect();
        server.close(() => resolve());
      }),
  };
  return proxy;
};
