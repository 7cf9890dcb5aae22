/** Where and how an answer violates the document. */
export interface Violation {
  /** A JSON pointer into the answer (RFC 6901). */
  readonly pointer: string;
  readonly reason: string;
}

/** A generated validator of a whole successful answer. */
export interface CompiledValidator {
  (answer: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

export type CompiledValidators = Readonly<Record<string, CompiledValidator>>;

/** The first violation of a successful answer, by its operation's generated validator; empty for a valid one. */
export function compiledViolations(validators: CompiledValidators, operation: string, body: unknown): readonly Violation[] {
  const validate = validators[operation];
  if (validate === undefined || validate(body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => ({ pointer: instancePath, reason: message ?? "is invalid" }));
}
