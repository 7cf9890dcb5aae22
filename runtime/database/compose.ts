import knexFactory, { type Knex } from "knex";
import { type Sql, type Statement, statementName } from "./sql.ts";
import "./tables.ts";

/** Compiles only: it has no connection. */
const compiler: Knex = knexFactory({ client: "pg" });

/** The parts from which a builder function composes a statement. */
export interface Composition<Values> {
  /** The query builder, over the tables of tables.ts. */
  readonly from: Knex;
  /** An SQL expression, for builder methods that accept one. */
  raw(expression: Sql): Knex.Raw;
  /** The parameter for the value with this name. */
  value<Name extends keyof Values & string>(name: Name): NonNullable<Values[Name]>;
  /** Whether the call passes a value with this name; each set of passed values has its own shape. */
  has(name: keyof Values & string): boolean;
}

type Build<Values> = (composition: Composition<Values>) => Knex.QueryBuilder | Knex.Raw;

/** A compiled shape with its parameters: values by name, and constants. */
interface Compiled {
  readonly name: string | undefined;
  readonly text: string;
  readonly parameters: readonly (Placeholder | { readonly constant: unknown })[];
}

/** Larger than any number in a statement. The builder's limit() and offset() accept only integers, so placeholders are passed to them as integers. */
const firstStandIn = Number.MAX_SAFE_INTEGER - 1_000;

/** A value's placeholder while a shape is compiled. */
class Placeholder {
  constructor(
    readonly name: string,
    readonly standIn: number,
  ) {}

  toString(): string {
    return String(this.standIn);
  }
}

/**
 * A statement composed with the query builder, as a function of its values. It is compiled once per shape, that is, per set of values that are passed and
 * neither undefined nor null. `build` must not depend on anything else.
 */
export const compose = <Row extends object, Values extends object>(build: Build<Values>): ((values: Values) => Statement<Row>) => {
  const shapes = new Map<string, Compiled>();
  return (values) => {
    const passed = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
    const shape = passed.map(([name]) => name).join();
    let compiled = shapes.get(shape);
    if (compiled === undefined) {
      compiled = compile(build, new Set(passed.map(([name]) => name)));
      shapes.set(shape, compiled);
    }
    const { name, text, parameters } = compiled;
    return { name, text, values: parameters.map((part) => ("name" in part ? values[part.name as keyof Values] : part.constant)) };
  };
};

/** Escapes question marks, which the builder would read as parameters. */
const raw = ({ text }: Sql): Knex.Raw => compiler.raw(text.replaceAll("?", "\\?"));

function compile<Values>(build: Build<Values>, passed: ReadonlySet<string>): Compiled {
  const placeholders = new Map<string, Placeholder>();
  const value = (name: string): unknown => {
    if (!passed.has(name)) throw new RangeError(`Missing value for ${name} in a composed statement.`);
    const existing = placeholders.get(name);
    if (existing !== undefined) return existing;
    const placeholder = new Placeholder(name, firstStandIn + placeholders.size);
    placeholders.set(name, placeholder);
    return placeholder;
  };
  const query = build({ from: compiler, raw, value: value as Composition<Values>["value"], has: (name) => passed.has(name) });
  const { sql: text, bindings } = query.toSQL().toNative();
  const parameters = bindings.map((binding) =>
    binding instanceof Placeholder
      ? binding
      : ([...placeholders.values()].find(({ standIn }) => standIn === binding) ?? { constant: binding }),
  );
  return { name: statementName(text), text, parameters };
}
