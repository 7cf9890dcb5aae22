const field = /"([^"]*(?:""[^"]*)*)"|([^",\r\n]*)/y;

/** Parses CSV strictly by RFC 4180: CRLF after every record, doubled quotes in quoted fields, the same number of fields in every record. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let position = 0;
  while (position < text.length) {
    field.lastIndex = position;
    const match = field.exec(text);
    if (match === null) throw new Error(`Expected a field at ${position}`);
    record.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'));
    position = field.lastIndex;
    if (text[position] === ",") position += 1;
    else if (text.startsWith("\r\n", position)) {
      records.push(record);
      record = [];
      position += 2;
    } else throw new Error(`Expected a comma or CRLF at ${position}: ${JSON.stringify(text.slice(position, position + 20))}`);
  }
  if (record.length > 0) throw new Error("The last record does not end with CRLF");
  const mismatched = records.findIndex(({ length }) => length !== records[0]?.length);
  if (mismatched !== -1) throw new Error(`Record ${mismatched} and the header have different numbers of fields.`);
  return records;
}
