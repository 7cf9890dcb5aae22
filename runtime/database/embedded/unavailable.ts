/** The embedded server cannot be used; the message contains the reason and the alternative. */
export class EmbeddedUnavailable extends Error {
  override readonly name = "EmbeddedUnavailable";
  readonly reason: string;

  constructor(reason: string) {
    super(
      `The embedded PostgreSQL cannot be used: ${reason}; to use another server, set DATABASE_URL=postgresql://user:password@host:5432/name.`,
    );
    this.reason = reason;
  }
}

/** A short reason for an error: its code, otherwise its message. */
export function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error instanceof Error ? error.message : String(error);
}
