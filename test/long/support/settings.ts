/** A number that an environment variable sets for a run, or its default. */
export const setting = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

/** Prints a figure of a run. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
