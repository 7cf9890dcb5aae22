import { describeRefusals } from "./declaration.ts";

describeRefusals([
  [
    "text that is not a signature",
    "signature-syntax",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id int128 amount)"',
    "expected a signature such as",
  ],
  [
    "a signature with its keyword",
    "signature-syntax",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"event Moved(bytes32 indexed id, int128 amount)"',
    "must not start with the keyword event",
  ],
  [
    "an unknown type",
    "signature-syntax",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int127x amount)"',
    "int127x",
  ],
  [
    "a tuple",
    "unsupported-type",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, (address, uint256) pair)"',
    "tuple",
  ],
  [
    "a list of lists",
    "unsupported-type",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, uint256[][] pairs)"',
    "uint256[][]",
  ],
  [
    "a list of texts",
    "unsupported-type",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, string[] names)"',
    "string[]",
  ],
  [
    "a parameter without a name",
    "unnamed-parameter",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, bool)"',
    "Missing name of parameter 3",
  ],
  [
    "four indexed parameters",
    "indexed-parameters",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 indexed amount, bool indexed a, bool indexed b)"',
    "at most 3",
  ],
  [
    "a repeated event",
    "duplicate-event",
    'bool done, string note)"',
    'bool done, string note)"\n      - §"Moved(bytes32 indexed other, int128 different)"',
    ":20:9",
  ],
  [
    "variants of different types",
    "conflicting-type",
    '- "Moved(bytes32 indexed id, int128 amount, bool done',
    '- §"Moved(address indexed id, int128 amount, bool done',
    "bytes32",
  ],
]);
