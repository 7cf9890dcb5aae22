/** The CIDv1 of the lanterns' documents. It is well-formed, but only the demo's gateway resolves it. */
export const lanternFolderCid = "bafybeigpv4sjqi7waqigrdhplar7x5nkqjaoujaxlb4ver5ervq3lkb63y";

/** The number of lanterns in the full story. */
export const lanternCount = 120;

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** The metadata document of a lantern, by its token id. */
export const lanternDocument = (id: number): string =>
  JSON.stringify({
    name: `Harbor Lantern #${id}`,
    description: "A light at the end of a pier.",
    image: `ipfs://${lanternFolderCid}/images/${id}.svg`,
    external_url: `https://lanterns.example/${id}`,
    attributes: [
      { trait_type: "Pier", value: pick(["North", "East", "South", "West"], id) },
      { trait_type: "Glass", value: pick(["Clear", "Amber", "Green"], id * 7) },
      { display_type: "number", trait_type: "Candles", value: 1 + ((id * 5) % 9) },
      ...(id % 3 === 0 ? [{ display_type: "date", trait_type: "Lit", value: 1_756_684_800 + id * 3_600 }] : []),
      ...(id % 5 === 0 ? [{ display_type: "boost_number", trait_type: "Reach", value: id % 4, max_value: 4 }] : []),
    ],
  });

/** The image of a lantern. */
export const lanternImage = (id: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><circle cx="50" cy="50" r="${10 + (id % 35)}" fill="#d98e04"/></svg>`;
