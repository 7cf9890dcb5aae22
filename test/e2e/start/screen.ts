/** Returns the lines that a program's output leaves on a terminal of unlimited height. Supports ECMA-48 sequences of readline and cli-progress. */
export function screenAfter(text: string): string[] {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
    while (lines.length <= row) lines.push([]);
    return lines[row] ?? [];
  };
  const control = (parameter: number, kind: string): void => {
    if (kind === "A") row = Math.max(0, row - (parameter || 1));
    else if (kind === "B") row += parameter || 1;
    else if (kind === "G") column = (parameter || 1) - 1;
    else if (kind === "K") lines[row] = parameter === 0 ? line().slice(0, column) : [];
    else if (kind === "J") {
      lines[row] = line().slice(0, column);
      lines.length = row + 1;
    }
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression parses control sequences.
  for (const [token, parameter, kind] of text.matchAll(/\x1b\[\??(\d*)(?:;\d+)*([A-Za-z])|\n|\r|[^\x1b\n\r]/g)) {
    if (kind !== undefined) control(Number(parameter), kind);
    else if (token === "\n") row += 1;
    else if (token === "\r") column = 0;
    else {
      const cells = line();
      while (cells.length < column) cells.push(" ");
      cells[column] = token;
      column += 1;
    }
  }
  return lines.map((cells) => cells.join("").trimEnd());
}
