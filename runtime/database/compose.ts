import knexFactory, { type Knex } from "knex";
import { type Sql, type Statement, statementName } from "./sql.ts";
import "./tables.ts";

/** Compiles only: it has no connection. */
const compiler: Knex = knexFactory({ client: "pg" });

/** The parts from which a builder function composes a statement. */
export interface Composition<Values> {
  /** The query builder, over the tables of tables.ts. */
  readonly from: Knex;
  /** An SQL expression, where the builder accepts one. */
  raw(expression: Sql): Knex.Raw;
  /** The parameter of this name, in place of its value. */
  value<Name extends keyof Values & string>(name: Name): NonNullable<Values[Name]>;
  /** Whether the call passes this value; each set of passed values has its own shape. */
  has(name: keyof Values & string): boolean;
}

type Build<Values> = (composition: Composition<Values>) => Knex.QueryBuilder | Knex.Raw;

/** A compiled shape with its parameters: values by name, and constants. */
interface Compiled {
  readonly name: string | undefined;
  readonly text: string;
  readonly parameters: readonly (Placeholder | { readonly constant: unknown })[];
}

/** Above any number in a statement. The builder's limit() and offset() accept only integers, so parameters are passed to them as integers. */
const firstStandIn = Number.MAX_SAFE_INTEGER - 1_000;

/** The placeholder of a value while a shape is compiled. */
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
 * A statement composed with the query builder, as a function of its values. It is compiled once per shape, that is, for each set of passed values
 * (neither undefined nor null), not for each call: `build` must not depend on anything else.
 */
export const compose = <Row extends object, Values extends object>(build: Build<Values>): ((values: Values) => Statement<Row>) => {
  const shapes = new Map<string, Compiled>();
  return (values) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
    const shape = given.map(([name]) => name).join();
    let compiled = shapes.get(shape);
    if (compiled === undefined) {
      compiled = compile(build, new Set(given.map(([name]) => name)));
      shapes.set(shape, compiled);
    }
    const { name, text, parameters } = compiled;
    return { name, text, values: parameters.map((part) => ("name" in part ? values[part.name as keyof Values] : part.constant)) };
  };
};

/** The builder reads a question mark as a parameter. */
const raw = ({ text }: Sql): Knex.Raw => compiler.raw(text.replaceAll("?", "\\?"));

function compile<Values>(build: Build<Values>, given: ReadonlySet<string>): Compiled {
  const placeholders = new Map<string, Placeholder>();
  const value = (name: string): unknown => {
    if (!given.has(name)) throw new RangeError(`Missing value ${name} for a composed statement.`);
    const known = placeholders.get(name);
    if (known !== undefined) return known;
    const placeholder = new Placeholder(name, firstStandIn + placeholders.size);
    placeholders.set(name, placeholder);
    return placeholder;
  };
  const query = build({ from: compiler, raw, value: value as Composition<Values>["value"], has: (name) => given.has(name) });
  const { sql: text, bindings } = query.toSQL().toNative();
  const parameters = bindings.map((binding) =>
    binding instanceof Placeholder
      ? binding
      : ([...placeholders.values()].find(({ standIn }) => standIn === binding) ?? { constant: binding }),
  );
  return { name: statementName(text), text, parameters };
}
