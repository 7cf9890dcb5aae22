import type { Logger } from "pino";

/** A validator of a whole success envelope, as the generator makes them. */
export interface Validate {
  (answer: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/** How many answers are validated: all, and a wrong one is not sent; one in a thousand, and a wrong one is logged; none. */
export type AnswerCheckMode = "all" | "sample" | "none";

/** Looks at an answer before it is sent; throws where it is wrong and all are checked. */
export type AnswerCheck = (operation: string, data: unknown) => void;

const sampleEvery = 1000;

/** A check of answers against the catalog. */
export function createAnswerCheck(mode: AnswerCheckMode, validators: Readonly<Record<string, Validate>>, logger: Logger): AnswerCheck {
  if (mode === "none") return () => undefined;
  let count = 0;
  return (operation, data) => {
    count += 1;
    if (mode === "sample" && count % sampleEvery !== 1) return;
    const validate = validators[operation];
    if (validate === undefined || validate({ data, error: false, error_message: null, error_code: null })) return;
    const wrong = (validate.errors ?? [])
      .map(({ instancePath, message }) => `${instancePath.replaceAll("/", ".")} ${message ?? "is wrong"}`)
      .join("; ");
    if (mode === "all") throw new Error(`The answer of ${operation} is not what the catalog declares: ${wrong}`);
    logger.error({ operation, wrong }, "an answer is not what the catalog declares");
  };
}
