/** The failure of a command; the message contains the reason and the remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
