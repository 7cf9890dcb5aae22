/** A command that cannot go on: one sentence that says why and what to do next. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
