/** The data for the template `reference`. */
export interface ReferenceView {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly authentication: readonly Described[];
  readonly envelope: readonly Described[];
  readonly common: readonly ParameterRow[];
  readonly headers: readonly Described[];
  readonly errors: readonly { readonly status: string; readonly title: string; readonly description: string }[];
  readonly styles: readonly Described[];
  readonly groups: readonly (Described & { readonly chains: string })[];
  readonly costs: readonly {
    readonly id: string;
    readonly anchor: string;
    readonly summary: string;
    readonly cost: string;
    readonly mode: string;
    readonly status: string;
  }[];
  readonly domains: readonly DomainView[];
  readonly objects: readonly (Described & { readonly fields: readonly FieldRow[] })[];
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface ParameterRow extends Described {
  readonly in: string;
  readonly type: string;
  readonly default: string;
}

export interface FieldRow extends Described {
  readonly type: string;
}

export interface DomainView {
  readonly title: string;
  readonly anchor: string;
  readonly description: string;
  readonly endpoints: readonly EndpointView[];
}

export interface EndpointView {
  readonly id: string;
  readonly summary: string;
  readonly notes: string;
  readonly paths: readonly string[];
  readonly cost: string;
  readonly mode: string;
  readonly status: string;
  readonly pagination: string;
  readonly networks: string;
  readonly row: string;
  readonly parameters: readonly ParameterRow[];
  readonly rules: readonly string[];
  readonly response: string;
  readonly fields: readonly FieldRow[];
}
