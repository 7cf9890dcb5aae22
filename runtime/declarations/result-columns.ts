/** The field that a derived field of an item shows in another form: formatted values, and logos that the operator configures. */
const derivedField = /^pretty_|^(.*_)?logo_url$/;

/** The columns that the SQL of an operation returns: all fields of its items except those that the server derives from others. */
export function resultColumns(fields: readonly string[]): string[] {
  return fields.filter((name) => !derivedField.test(name));
}
