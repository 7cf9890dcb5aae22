import type {
  CommunityProtocolFile,
  CommunityTemplateFile,
  EndpointDefinition,
  FieldDefinition,
  ObjectDefinition,
  ParameterDefinition,
  ServiceDefinition,
} from "./definition.ts";
import type { YamlPath, YamlSource } from "./yaml-source.ts";

/**
 * The catalog as far as it could be read. What has the wrong shape is left out and remembered, so that every other part is still checked and no finding
 * follows from another one.
 */
export interface CatalogDraft {
  readonly service: ServiceDraft | null;
  readonly endpoints: readonly EndpointDraft[];
  readonly objects: readonly ObjectDraft[];
  readonly template: TemplateDraft | null;
  readonly protocols: readonly Draft<CommunityProtocolFile>[];
  /** The kinds of files of which at least one could not be read at all. */
  readonly unreadable: ReadonlySet<FileKind>;
  /** Those, and the kinds of files in which a repeated key hides an entry: what is not seen in use may be in use there. */
  readonly obscured: ReadonlySet<FileKind>;
}

/** What a file of the catalog can be. */
export type FileKind = "service" | "endpoints" | "objects" | "template" | "protocol";

/** One entry as far as it has the right shape. */
export interface Draft<T> {
  readonly name: string;
  readonly source: YamlSource;
  readonly path: YamlPath;
  readonly value: Partial<T>;
  /** The keys whose value has the wrong shape, and required keys that are missing. */
  readonly broken: ReadonlySet<string>;
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

/** A section of the service by name; null where it is so wrong that nothing can be said about references into it. */
export type Section<T> = ReadonlyMap<string, Draft<T>> | null;

export type PaginationRegime = ServiceDefinition["pagination"][string];

export interface ServiceDraft extends Draft<ServiceDefinition> {
  readonly pathParameters: Section<ParameterDefinition>;
  readonly queryParameters: Section<ParameterDefinition>;
  readonly pagination: Section<PaginationRegime>;
  readonly authentication: Section<ServiceDefinition["authentication"][string]>;
  readonly headers: Section<ServiceDefinition["headers"][string]>;
}
