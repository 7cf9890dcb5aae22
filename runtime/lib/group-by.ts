/** Groups elements by key, preserving their order (like `Map.groupBy` of newer runtimes). */
export function groupBy<Element, Key>(elements: Iterable<Element>, keyOf: (element: Element) => Key): Map<Key, Element[]> {
  const groups = new Map<Key, Element[]>();
  for (const element of elements) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [element]);
    else group.push(element);
  }
  return groups;
}
