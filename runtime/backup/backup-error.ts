/** A backup that cannot be written, read or restored; the message contains the reason and the remedy. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
