/** The demo cannot run here; the message describes what to do. */
export class DemoUnavailable extends Error {
  override readonly name = "DemoUnavailable";
}

/** A development dependency is not installed. */
export const missingDependency = (packageName: string): DemoUnavailable =>
  new DemoUnavailable(
    `The demo chain needs the development dependency ${packageName}: install the development dependencies, or pass a node with --rpc URL --chain NAME.`,
  );

/** Another process listens on the configured port. */
export const portTaken = (port: number): DemoUnavailable =>
  new DemoUnavailable(
    `Port ${port} for the demo's node is in use by another process: free it, or set ASHLAR_DEMO_RPC_PORT to a different port.`,
  );

/** Another live process owns the demo in this folder. */
export const demoBusy = (processId: number, dataDirectory: string): DemoUnavailable =>
  new DemoUnavailable(
    `Process ${processId} already runs the demo in ${dataDirectory}: stop it, or set ASHLAR_DATA_DIR to a different folder.`,
  );

/** The node exited or did not respond while it was being started. */
export const nodeNotStarted = (reason: string): DemoUnavailable =>
  new DemoUnavailable(`The demo's node did not start: ${reason}; run the command again.`);

/** The node exited with an error code while it was being started, for example because it cannot read its state. */
export class NodeFailed extends DemoUnavailable {
  constructor(code: number) {
    super(`The demo's node did not start: it exited with code ${code}; run the command again.`);
  }
}

/** On this platform the demo cannot distinguish its node's process from others. */
export const unsupportedPlatform = (platform: string): DemoUnavailable =>
  new DemoUnavailable(`The demo chain runs on Linux and macOS, not on ${platform}: pass a node with --rpc URL --chain NAME.`);
