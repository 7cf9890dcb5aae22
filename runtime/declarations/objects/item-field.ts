/** An item field: the format of its value, or the object that it contains. */
export interface ItemField {
  readonly name: string;
  /** A scalar type of the catalog; null for an object. */
  readonly format: string | null;
  readonly object: string | null;
  readonly list: boolean;
  readonly nullable: boolean;
}
