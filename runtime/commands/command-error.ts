/** A failed command; the message contains the reason and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
