/** The number in an environment variable, or its default. */
export const numberFromEnvironment = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

/** Prints a line to the run's output. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
