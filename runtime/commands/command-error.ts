/** A command failure; the message contains the reason and the remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
