/** Where and how a response violates the document. */
export interface Violation {
  /** A JSON pointer into the response (RFC 6901). */
  readonly pointer: string;
  readonly reason: string;
}

/** A generated validator for a complete successful response. */
export interface CompiledValidator {
  (response: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

export type CompiledValidators = Readonly<Record<string, CompiledValidator>>;

/** The violations that an operation's generated validator finds in a successful response; empty if it is valid. */
export function compiledViolations(validators: CompiledValidators, operation: string, body: unknown): readonly Violation[] {
  const validate = validators[operation];
  if (validate === undefined || validate(body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => ({ pointer: instancePath, reason: message ?? "is invalid" }));
}
