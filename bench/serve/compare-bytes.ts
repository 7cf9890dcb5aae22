import type { RowCase } from "./row-case.ts";

/** The time in a response, which differs between two requests. */
const volatile = /"updated?_at":"[^"]*"/;
const comparedPaths = 12;
/** Characters shown before and after the first difference. */
const contextLength = 120;

/** Requests some paths of a row from both servers. @throws {Error} if the bodies differ in more than the response time. */
export async function compareBytes(
  { row, paths }: RowCase,
  ports: { readonly product: number; readonly other: number },
  key: string,
): Promise<void> {
  const read = async (port: number, path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`Row ${row}: ${path} returned status ${response.status}: ${body.slice(0, 300)}`);
    return body.replace(volatile, "");
  };
  const step = Math.max(1, Math.floor(paths.length / comparedPaths));
  for (let position = 0; position < paths.length; position += step) {
    const path = paths[position] ?? "";
    const [product, other] = [await read(ports.product, path), await read(ports.other, path)];
    if (product === other) continue;
    let at = 0;
    while (product[at] === other[at]) at += 1;
    const [from, to] = [Math.max(0, at - contextLength), at + contextLength];
    throw new Error(
      `Row ${row}: ${path} differs at character ${at}.\nproduct: ${product.slice(from, to)}\nother:   ${other.slice(from, to)}`,
    );
  }
}
