/** The demo cannot run here, and its sentence says what to do about it. */
export class DemoUnavailable extends Error {
  override readonly name = "DemoUnavailable";
}

/** A package that only a development install has. */
export const demoUnavailable = (packageName: string): DemoUnavailable =>
  new DemoUnavailable(
    `The demo chain needs the package ${packageName}, which comes with the development dependencies only: install them, or name a node with --rpc URL --chain NAME.`,
  );

/** A fixed port that another process listens on. */
export const portTaken = (port: number): DemoUnavailable =>
  new DemoUnavailable(
    `Port ${port} for the demo's node is taken by another process: free it, or set ASHLAR_DEMO_RPC_PORT to another port.`,
  );

/** Another live process owns the demo in this folder. */
export const demoBusy = (processId: number, dataDirectory: string): DemoUnavailable =>
  new DemoUnavailable(`Process ${processId} already runs the demo in ${dataDirectory}: stop it, or set ASHLAR_DATA_DIR to another folder.`);

/** The node ended or stayed silent while it was being started. */
export const nodeNotStarted = (reason: string): DemoUnavailable => new DemoUnavailable(`The demo's node did not start: ${reason}`);

/** A system on which the demo cannot tell its own node's process from others. */
export const demoNotHere = (platform: string): DemoUnavailable =>
  new DemoUnavailable(`The demo chain runs on Linux and macOS, not on ${platform}: name a node with --rpc URL --chain NAME.`);
