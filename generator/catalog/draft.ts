import type { ProtocolFile } from "../../runtime/declarations/protocol-file.ts";
import type { YamlPath, YamlSource } from "../../runtime/declarations/yaml/yaml-source.ts";
import type {
  CommunityTemplateFile,
  EndpointDefinition,
  FieldDefinition,
  ObjectDefinition,
  ParameterDefinition,
  ServiceDefinition,
} from "./definition.ts";

/**
 * The part of the catalog that could be read. Values of the wrong shape are omitted and recorded, so that the rest is still checked and no problem
 * causes a second diagnostic.
 */
export interface CatalogDraft {
  readonly service: ServiceDraft | null;
  readonly endpoints: readonly EndpointDraft[];
  readonly objects: readonly ObjectDraft[];
  readonly template: TemplateDraft | null;
  readonly protocols: readonly Draft<ProtocolFile>[];
  /** The protocols' SQL files: path -> text. */
  readonly sqlFiles: ReadonlyMap<string, string>;
  /** The kinds of files with at least one unreadable file. */
  readonly unreadableKinds: ReadonlySet<FileKind>;
  /** The unreadable kinds, and those in which a duplicate key hides an entry, which may contain uses. */
  readonly incompleteKinds: ReadonlySet<FileKind>;
}

/** The kinds of catalog files. */
export type FileKind = "service" | "endpoints" | "objects" | "template" | "protocol";

/** An entry, without the values that have the wrong shape. */
export interface Draft<T> {
  readonly name: string;
  readonly source: YamlSource;
  readonly path: YamlPath;
  readonly value: Partial<T>;
  /** The keys whose value has the wrong shape, and required keys that are missing. */
  readonly invalidKeys: ReadonlySet<string>;
}

export interface EndpointDraft extends Draft<EndpointDefinition> {
  readonly domain: string | null;
}

export interface ObjectDraft extends Draft<Omit<ObjectDefinition, "fields">> {
  readonly fields: ReadonlyMap<string, Draft<FieldDefinition>>;
}

export type TemplateOperation = CommunityTemplateFile["operations"][string];

export interface TemplateDraft extends Draft<Omit<CommunityTemplateFile, "operations">> {
  readonly operations: ReadonlyMap<string, Draft<TemplateOperation>>;
}

/** A section of the service by name; null if it is too malformed to check references to it. */
export type Section<T> = ReadonlyMap<string, Draft<T>> | null;

export type PaginationStyle = ServiceDefinition["pagination"][string];

export interface ServiceDraft extends Draft<ServiceDefinition> {
  readonly pathParameters: Section<ParameterDefinition>;
  readonly queryParameters: Section<ParameterDefinition>;
  readonly pagination: Section<PaginationStyle>;
  readonly authentication: Section<ServiceDefinition["authentication"][string]>;
  readonly headers: Section<ServiceDefinition["headers"][string]>;
}
