/** Parses a positive numeric option. @throws {RangeError} that names the option, its value and what is accepted. */
export function numberOption<Name extends string>(values: Readonly<Record<Name, string>>, name: Name): number {
  const number = Number(values[name]);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new RangeError(`Invalid value "${values[name]}" for --${name}: expected a number above 0.`);
}
