/** Fields that the official client libraries add to answers, and that servers refuse to read again. */
export const clientLibraryFields: ReadonlySet<string> = new Set(['parsed', 'parsed_arguments', 'created_by'])
