import type { Diagnostic, SourceLocation } from "../diagnostics.ts";
import type { ProtocolFile } from "../protocol-file.ts";
import type { YamlPath, YamlSource } from "../yaml/yaml-source.ts";

/** A `protocol.yaml` with a valid shape, and the positions of its parts. */
export interface Declaration {
  readonly source: YamlSource;
  readonly file: ProtocolFile;
}

/** A part of the checked protocol, and its diagnostics. If there are any, the part may be incomplete. */
export interface Checked<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}

/** The location of a value in the declaration. */
export const valueLocation = ({ source }: Declaration, ...path: YamlPath): SourceLocation => source.locationOf(path);

/** The location of a key in the declaration. */
export const keyLocation = ({ source }: Declaration, ...path: YamlPath): SourceLocation => source.locationOfKey(path);
